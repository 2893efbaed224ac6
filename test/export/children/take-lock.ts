/**
 * Takes a lock as soon as stdin has something, says `taken` or what is wrong, and keeps it until stdin ends:
 *
 *     node build/test/export/children/take-lock.js LOCK
 */
import { once } from "node:events";
import { ExportLock } from "../../../src/export/export-lock.js";

console.log("ready");
await once(process.stdin, "data");
const said = await ExportLock.take("target", process.argv[2]!).then(
  () => "taken",
  (error: Error) => error.message,
);
console.log(said);
await once(process.stdin, "end");
