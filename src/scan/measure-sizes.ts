import { type FileHandle, open } from "node:fs/promises";
import type { EntrySink } from "../read/entry-parser.js";
import { type PumpSessionOptions, pumpSession, SessionPump } from "../read/pump-session.js";
import { type LargeEntry, type SizeGroup, SizeGroups } from "../report/size-groups.js";
import { chooseFiles } from "./choose-files.js";
import { takeValue } from "./list-sessions.js";
import { STORE_MAX_LINE_BYTES } from "./read-report.js";
import { type OpenFile, scanFiles } from "./scan-files.js";
import type { SkippedFile, StoreOptions } from "./store-options.js";

export interface SizesOptions extends StoreOptions {
  /** How many of the largest entries are named. Default 20. */
  limit?: number;
}

export interface Sizes {
  /** Most bytes first. */
  groups: SizeGroup[];
  /** Largest first. */
  largest: LargeEntry[];
  skipped: SkippedFile[];
}

const LARGEST = 20;

/** Counts where the bytes of the sessions that the filters choose are. Memory: the list of files, a sum a group. */
export async function measureSizes({ limit = LARGEST, ...options }: SizesOptions = {}): Promise<Sizes> {
  const sizes = new SizeGroups(limit);
  const skipped: SkippedFile[] = [];
  const scan = (file: OpenFile): Promise<SizeGroups> => measure(file.handle, file.path, limit, file);
  for await (const scanned of scanFiles(options, scan, await chooseFiles(options))) {
    const measured = takeValue(scanned, (file) => skipped.push(file));
    if (measured) sizes.merge(measured);
  }
  return { groups: sizes.groups(), largest: sizes.largest(), skipped };
}

/** As `measureSizes`, of one session. */
export async function measureSession(
  path: string,
  { limit = LARGEST, signal }: { limit?: number; signal?: AbortSignal } = {},
): Promise<Sizes> {
  const handle = await open(path);
  try {
    const sizes = await measure(handle, path, limit, { signal });
    return { groups: sizes.groups(), largest: sizes.largest(), skipped: [] };
  } finally {
    await handle.close();
  }
}

async function measure(
  handle: FileHandle,
  path: string,
  limit: number,
  { signal, onBytes }: PumpSessionOptions,
): Promise<SizeGroups> {
  const sizes = new SizeGroups(limit);
  const sink: EntrySink = {
    header() {},
    entry(entry, line, _byteOffset, byteLength) {
      sizes.add(entry, path, line, byteLength);
    },
  };
  const pump = new SessionPump(handle.fd, path, sink, { lean: {}, maxLineBytes: STORE_MAX_LINE_BYTES });
  await pumpSession(pump, handle, { signal, onBytes });
  return sizes;
}
