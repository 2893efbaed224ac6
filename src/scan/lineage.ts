import { emptyUsage, type Usage } from "../format/usage.js";
import { CopyFinder } from "./copy-finder.js";
import { byPath } from "./list-sessions.js";
import { StoreScan } from "./scan-files.js";
import { callFilters, type SkippedFile, type StoreOptions } from "./store-options.js";
import type { FileShares } from "./tasks/copies-task.js";
import type { LineageScan } from "./tasks/lineage-task.js";

/** One session, and where it came from. */
export interface LineageSession {
  id: string;
  path: string;
  /** The session that this one was forked from, if it is in the store. */
  parentId: string | null;
  parentPath: string | null;
  /** The parent that the header names, when it is not in the store: a path of any machine, or a session id. */
  missingParent: string | null;
  /** ISO 8601, UTC; null when the header's time can't be read. */
  created: string | null;
  /** The session's name, else its first message: 100 code points at most, then "…"; null without either. */
  title: string | null;
  /** What its own calls came to: those that no older file holds. */
  own: Usage;
  /** What the calls came to that were copied from older files. */
  copied: Usage;
}

export interface Lineage {
  /** Parents before their forks, else the earliest `created` first. */
  sessions: LineageSession[];
  skipped: SkippedFile[];
  /** In the sessions given. */
  damagedLines: number;
}

/**
 * Tells which sessions of the stores came from which, and what each added. `since` and `until` choose the sessions that are given by `modified`, `models` and
 * `providers` those with at least one such call; where a session came from and which calls are copies does not depend on it. Of sessions whose headers
 * name each other, the oldest has no parent, so that parents always come before their forks.
 * All files are read, and those with copies twice. Memory: about 500 bytes a session and 30 a call.
 *
 * @throws StoreError for a store that is no folder; the reason of `signal` when it aborts.
 *
 * @example
 * import { lineage } from "pi-sessions";
 *
 * const { sessions } = await lineage({ stores: ["fixtures/store"] });
 * for (const { id, parentId, own } of sessions) if (parentId !== null) console.log(id, "came from", parentId, "and added", own.costTotal);
 */
export async function lineage(options: StoreOptions = {}): Promise<Lineage> {
  const scan = new StoreScan(options);
  try {
    return await scanLineage(scan, options);
  } finally {
    await scan.close();
  }
}

async function scanLineage(scan: StoreScan, options: StoreOptions): Promise<Lineage> {
  const copyFinder = new CopyFinder();
  const files: (Omit<LineageScan, "fingerprinted"> & { absolutePath: string })[] = [];
  const passedOver: SkippedFile[] = [];
  for await (const { result, skipped } of scan.run("lineage", callFilters(options))) {
    passedOver.push(...skipped);
    for (const { fingerprinted, ...file } of result) {
      copyFinder.add([fingerprinted]);
      files.push({ ...file, absolutePath: fingerprinted.path });
    }
  }

  const origins = copyFinder.finish();
  const copies = copyFinder.findCopies(origins);
  const sharesOf = new Map<string, FileShares>();
  for await (const { shares } of copyFinder.sumCopies(scan, { by: [], timeZone: "UTC", shares: true }, copies)) {
    for (const each of shares) sharesOf.set(each.path, each);
  }

  const sessions: LineageSession[] = [];
  let damagedLines = 0;
  const isPlaced = new Uint8Array(files.length);
  for (const number of origins.oldestFirst) {
    isPlaced[number] = 1;
    const file = files[number]!;
    if (!file.isChosen) continue;
    const parentNumber = origins.parentOf(number);
    const parent = parentNumber !== null && isPlaced[parentNumber] ? files[parentNumber]! : null;
    const { own, copied } = sharesOf.get(file.absolutePath) ?? { own: file.usage, copied: emptyUsage() };
    sessions.push({
      id: file.id,
      path: file.path,
      parentId: parent?.id ?? null,
      parentPath: parent?.path ?? null,
      missingParent: origins.missingParentOf(number),
      created: file.created,
      title: file.title,
      own,
      copied,
    });
    damagedLines += file.damagedLines;
  }
  return { sessions, skipped: passedOver.sort(byPath), damagedLines };
}
