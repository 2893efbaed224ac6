import type { SessionEntry } from "../../format/entry.js";
import { CacheMissFinder, type MissedCall } from "../../report/cache-misses.js";
import { modelFilter, timeFilter } from "../../report/call-filter.js";
import { CallFingerprints } from "../../report/call-fingerprint.js";
import { type FingerprintedFile, fingerprintedFile } from "../fingerprinted-file.js";
import { projectFilter } from "../project-filter.js";
import { scanSession } from "../scan-session.js";
import type { FilterOptions, Task } from "./task.js";

export interface MissesTaskOptions extends FilterOptions {
  /** How long a cache stays warm, in milliseconds. */
  ttlMs: number;
}

/** The misses of one session, those of copied calls among them. */
export interface FileMisses {
  /** As found below the store. */
  path: string;
  id: string;
  calls: MissedCall[];
}

export interface MissesPart {
  /** Files with misses that the filters let through. */
  files: FileMisses[];
  /** The models of all files whose calls used a cache. */
  cachingModels: Set<string | null>;
  /** All files, whatever the filters say: a copy is one wherever the call stands. */
  fingerprinted: FingerprintedFile[];
  /** In the files of the wanted projects. */
  damagedLines: number;
}

/** The calls, among those that the filters let through, that paid again for what the turn before had sent. */
export function missesTask(options: MissesTaskOptions): Task<MissesPart> {
  const isProjectWanted = projectFilter(options);
  const isTimeWanted = timeFilter(options);
  const isModelWanted = modelFilter(options);
  const files: FileMisses[] = [];
  const cachingModels = new Set<string | null>();
  const fingerprinted: FingerprintedFile[] = [];
  let damagedLines = 0;
  return {
    scan(file) {
      let finder: CacheMissFinder;
      let fingerprints: CallFingerprints;
      let isWanted = true;
      const {
        header,
        damagedLines: damaged,
        links,
      } = scanSession(file, {
        wantsSession: false,
        wantsIndex: false,
        begin(header) {
          isWanted = isProjectWanted(header);
          finder = new CacheMissFinder(options.ttlMs);
          fingerprints = new CallFingerprints();
          return {
            onCall(call, entry) {
              if (isWanted && isTimeWanted(call.time) && isModelWanted(call))
                finder.addCall(call, entry as SessionEntry);
            },
            fingerprints,
          };
        },
        // Whoever sees each entry gets no bare ones.
        onEntry: (entry, number) => finder.addEntry(entry, number),
      })!;
      fingerprinted.push(fingerprintedFile(file.path, header, fingerprints!));
      for (const model of finder!.cachingModels) cachingModels.add(model);
      if (!isWanted) return;
      const calls = finder!.finish(links);
      if (calls.length > 0) files.push({ path: file.path, id: header.id, calls });
      damagedLines += damaged;
    },
    finish: () => ({ files, cachingModels, fingerprinted, damagedLines }),
  };
}
