/**
 * Writes to a session until it is killed, and says on stdout what was done, a line each: `ready`, then `+` and the id of an entry that was appended, or
 * `=` and the path of a session that was branched off.
 *
 *     node append-forever.js <session file> <largest entry in bytes> <entries between two branched sessions, 0 for none>
 */
import { writeSync } from "node:fs";
import { SessionManager } from "../../../src/store/session-manager.js";

const [file, maxBytes, branchEvery] = process.argv.slice(2);
let session = SessionManager.open(file!);
writeSync(1, "ready\n");
for (let count = 1; ; count++) {
  const content = "x".repeat(Math.floor(Math.random() ** 4 * Number(maxBytes)));
  const id = session.appendMessage({ role: "user", content, timestamp: Date.now() });
  writeSync(1, `+${id}\n`);
  if (Number(branchEvery) > 0 && count % Number(branchEvery) === 0) {
    writeSync(1, `=${session.createBranchedSession(id)}\n`);
    session = SessionManager.open(file!);
  }
}
