import type { Usage } from "../../format/usage.js";
import { CallFingerprints } from "../../report/call-fingerprint.js";
import type { Session } from "../../report/session-summary.js";
import { type FingerprintedFile, fingerprintedFile } from "../fingerprinted-file.js";
import { scanSession } from "../scan-session.js";
import { SessionFilter } from "../session-filter.js";
import type { FilterOptions, Task } from "./task.js";

/** What a lineage shows of a file, whatever came of its calls. */
export interface LineageScan {
  /** As found below the store. */
  path: string;
  id: string;
  created: string | null;
  title: string | null;
  /** What all its calls came to. */
  usage: Usage;
  damagedLines: number;
  /** Whether the filters let the session through. */
  isChosen: boolean;
  fingerprinted: FingerprintedFile;
}

/** All sessions with what tells their calls from those of others. */
export function lineageTask(options: FilterOptions): Task<LineageScan[]> {
  const filter = new SessionFilter(options);
  const files: LineageScan[] = [];
  return {
    scan(file) {
      let fingerprints: CallFingerprints;
      const scanned = scanSession(file, {
        wantsSession: true,
        wantsIndex: false,
        begin(header) {
          filter.begin(header);
          fingerprints = new CallFingerprints();
          return { onCall: filter.onCall, fingerprints };
        },
      })!;
      const session = scanned.session!;
      const { path, id, created, usage, damagedLines } = session;
      files.push({
        path,
        id,
        created,
        title: titleOf(session),
        usage,
        damagedLines,
        isChosen: filter.isChosen(session),
        fingerprinted: fingerprintedFile(path, scanned.header, fingerprints!),
      });
    },
    finish: () => files,
  };
}

const TITLE_CODE_POINTS = 100;

/** What people know a session by: its name, else its first message; the beginning of it and "…", where it is long. */
function titleOf({ name, firstMessage }: Session): string | null {
  const text = name ?? firstMessage;
  if (text === null) return null;
  // A code point takes two units at most, so the front alone tells.
  const codePoints = [...text.slice(0, 2 * TITLE_CODE_POINTS + 2)];
  return codePoints.length <= TITLE_CODE_POINTS ? text : `${codePoints.slice(0, TITLE_CODE_POINTS).join("")}…`;
}
