import type { Problem } from "../format/problem.js";
import { checkOpenSession } from "../read/check-session.js";
import { chooseFiles } from "./choose-files.js";
import { byPath, takeValue } from "./list-sessions.js";
import { STORE_MAX_LINE_BYTES } from "./read-report.js";
import { type OpenFile, scanFiles } from "./scan-files.js";
import type { SkippedFile, StoreOptions } from "./store-options.js";

export interface CheckedFile {
  path: string;
  findings: Problem[];
}

/** Checks the sessions of the stores that the filters choose (see `checkSession`): those with findings, and the files passed over, by path. Memory: the findings. */
export async function checkStore(
  options: StoreOptions = {},
): Promise<{ files: CheckedFile[]; skipped: SkippedFile[] }> {
  const files: CheckedFile[] = [];
  const skipped: SkippedFile[] = [];
  const check = ({ handle, path, signal, onBytes }: OpenFile): Promise<Problem[]> =>
    checkOpenSession(handle, path, { signal, onBytes, maxLineBytes: STORE_MAX_LINE_BYTES });
  for await (const scanned of scanFiles(options, check, await chooseFiles(options))) {
    const findings = takeValue(scanned, (file) => skipped.push(file));
    if (findings && findings.length > 0) files.push({ path: scanned.file.path, findings });
  }
  return { files: files.sort(byPath), skipped: skipped.sort(byPath) };
}
