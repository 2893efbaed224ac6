import type { Problem } from "../format/problem.js";
import { chooseFiles } from "./choose-files.js";
import { byPath } from "./list-sessions.js";
import { scanFiles } from "./scan-files.js";
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
  const { isChosen, skipped: passedOver } = await chooseFiles(options);
  const known = new Set(passedOver.map(({ path }) => path));
  for await (const { result, skipped } of scanFiles({ ...options, isChosen, name: "check", task: undefined })) {
    files.push(...result);
    passedOver.push(...skipped.filter(({ path }) => !known.has(path)));
  }
  return { files: files.sort(byPath), skipped: passedOver.sort(byPath) };
}
