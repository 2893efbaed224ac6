/** The plain reader, whole: the judge in tests, slow and independent of `src/`. */
export { contextPlainly, firstText, type PlainContext } from "./plain-context.js";
export { type PlainEntry, type PlainFile, type PlainSpot, readPlainly } from "./plain-file.js";
export { odditiesPlainly, type PlainOddity } from "./plain-oddities.js";
export { callsPlainly, type PlainCall, type PlainSession, sessionPlainly } from "./plain-session.js";
export {
  type PlainGroup,
  type PlainShare,
  type PlainStoreFile,
  type PlainTotals,
  totalsPlainly,
} from "./plain-totals.js";
export { labelsPlainly, type PlainNode, pathPlainly, treePlainly } from "./plain-tree.js";
