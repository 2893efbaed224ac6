/**
 * The inner loops of reading, in AssemblyScript: compiled ahead, they run at full speed from the first line on, and look at sixteen bytes at a time.
 * Nothing here allocates: all that is handed over lies at the places of `layout.ts`, and in the bytes.
 */
export { decodePlain, takePlainLines } from "./decode";
export { scanObject } from "./scan";
export {
  clearTally,
  findEntry,
  forgetModels,
  knowModel,
  linkEntry,
  setMigration,
  tallyParents,
  tallyPlainLines,
  tallySize,
} from "./tally";
