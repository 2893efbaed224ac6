/**
 * Appends entries to a session as fast as it can, and prints their ids, a line each, when it is done. It begins when a line comes in on stdin.
 *
 *     node append-some.js <session file> <how many> <largest entry in bytes>
 */
import { readSync } from "node:fs";
import { SessionManager } from "../../../src/store/session-manager.js";

const [file, count, maxBytes] = process.argv.slice(2);
const session = SessionManager.open(file!);
console.log("ready");
readSync(0, Buffer.alloc(1));
const ids: string[] = [];
for (let number = 0; number < Number(count); number++) {
  const content = "é".repeat(Math.floor((Math.random() ** 4 * Number(maxBytes)) / 2));
  ids.push(session.appendMessage({ role: "user", content, timestamp: Date.now() }));
  if (number % 7 === 0) session.refresh();
}
console.log(ids.join("\n"));
