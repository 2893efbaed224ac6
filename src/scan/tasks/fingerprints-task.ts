import { CallFingerprints } from "../../report/call-fingerprint.js";
import { type FingerprintedFile, fingerprintedFile } from "../fingerprinted-file.js";
import { projectFilter } from "../project-filter.js";
import type { ReadRows } from "../read-session-rows.js";
import { scanSession } from "../scan-session.js";
import type { FilterOptions, Task } from "./task.js";

/** A session file as it was found, and what tells its calls from those of others. */
export interface FoundSession extends FingerprintedFile {
  sizeBytes: number;
  mtimeMs: number;
  /** Whether its project is wanted. */
  isWanted: boolean;
  /** What there was to say when its rows were read; undefined until then. */
  rows?: ReadRows;
}

/** All sessions, whatever the filters say: a copy is one wherever the call stands. */
export function fingerprintsTask(options: Pick<FilterOptions, "projects">): Task<FoundSession[]> {
  const isProjectWanted = projectFilter(options);
  const files: FoundSession[] = [];
  return {
    scan(file) {
      let fingerprints: CallFingerprints;
      let isWanted = true;
      const { header } = scanSession(file, {
        wantsSession: false,
        wantsIndex: false,
        begin(header) {
          isWanted = isProjectWanted(header);
          fingerprints = new CallFingerprints();
          return { fingerprints };
        },
      })!;
      const { path, sizeBytes, mtimeMs } = file;
      files.push({ ...fingerprintedFile(path, header, fingerprints!), sizeBytes, mtimeMs, isWanted });
    },
    finish: () => files,
  };
}
