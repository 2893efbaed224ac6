import { NO_OBJECT, scanner } from "./json-scanner.js";

/** What `JSON.parse` takes for each level of depth, some 80 bytes, must not add up. */
const MAX_DEPTH = 1 << 17;

/** Whether bytes are one whole JSON object. */
export function isWholeObject(bytes: Buffer, start: number, end: number): boolean {
  return scanner.scan(bytes, start, end) !== NO_OBJECT;
}

/** Whether bytes are one whole JSON object that nests no deeper than about 100,000 levels: such can be given to `JSON.parse` without a second thought. */
export function isShallowObject(bytes: Buffer, start: number, end: number): boolean {
  return isWholeObject(bytes, start, end) && scanner.found.depth[0]! <= MAX_DEPTH;
}
