import assert from "node:assert/strict";
import { homedir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { defaultSessionsRoot, defaultStore } from "../../src/scan/default-store.js";

test("defaultStore is the folder of sessions that the environment names, else the one below pi's, else pi's own", () => {
  assert.equal(defaultStore({ PI_CODING_AGENT_SESSION_DIR: "/a", PI_CODING_AGENT_DIR: "/b" }), "/a");
  assert.equal(defaultStore({ PI_CODING_AGENT_DIR: "/b" }), join("/b", "sessions"));
  assert.equal(defaultStore({}), join(homedir(), ".pi", "agent", "sessions"));
});

test("defaultStore takes an empty variable for none", () => {
  const pis = join(homedir(), ".pi", "agent", "sessions");
  assert.equal(defaultStore({ PI_CODING_AGENT_SESSION_DIR: "", PI_CODING_AGENT_DIR: "" }), pis);
  assert.equal(defaultStore({ PI_CODING_AGENT_SESSION_DIR: "", PI_CODING_AGENT_DIR: "/b" }), join("/b", "sessions"));
});

test("defaultSessionsRoot does not look at the folder of sessions", () => {
  assert.equal(
    defaultSessionsRoot({ PI_CODING_AGENT_SESSION_DIR: "/a", PI_CODING_AGENT_DIR: "/b" }),
    join("/b", "sessions"),
  );
});
