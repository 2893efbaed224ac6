import type { ExportedFile } from "../export/export-target.js";
import type { ParquetFolder } from "../export/parquet-folder.js";
import type { WrittenFile } from "../export/parquet-rows.js";
import { readNotes, writeNote } from "./session-note.js";
import type { FoundSession } from "./tasks/fingerprints-task.js";

const MANIFEST = "manifest.json";
/** A line a session. */
const NOTES = "notes.txt";

/** Changes with the form of the files that are written. */
const VERSION = 2;

/** Session files whose rows were written together, and the files with their rows. */
export interface Segment {
  files: ExportedFile[];
  written: WrittenFile[];
}

interface StoredManifest {
  version: number;
  settings: string;
  segments: readonly Segment[];
  empty: readonly WrittenFile[];
}

/** What a Parquet folder holds, and what was found in its sessions, so that copies can be told without reading everything again. Memory: 16 bytes a call. */
export class ExportManifest {
  readonly segments: readonly Segment[];
  /** Files without rows, for tables that have none. */
  readonly empty: readonly WrittenFile[];
  /** By path. */
  readonly sessions: ReadonlyMap<string, FoundSession>;

  constructor(
    segments: readonly Segment[],
    empty: readonly WrittenFile[],
    sessions: ReadonlyMap<string, FoundSession>,
  ) {
    this.segments = segments;
    this.empty = empty;
    this.sessions = sessions;
  }

  /** What a folder holds; undefined when it has no whole export, be it that files were taken out of it, or one with other settings. */
  static async read(folder: ParquetFolder, settings: string): Promise<ExportManifest | undefined> {
    const text = await folder.read(MANIFEST);
    if (!text) return undefined;
    let stored: StoredManifest;
    try {
      stored = JSON.parse(text.toString()) as StoredManifest;
    } catch {
      return undefined; // Somebody else's hands were on it: all is exported anew.
    }
    if (stored.version !== VERSION || stored.settings !== settings) return undefined;
    const { segments, empty } = stored;
    if (!listFiles(segments, empty).every((file) => folder.has(file))) return undefined;
    const notes = await folder.read(NOTES);
    const sessions = await readNotes(async (take) => {
      if (notes) for (const note of linesOf(notes)) take(note);
    });
    return new ExportManifest(segments, empty, sessions);
  }

  /** All files with rows, and those without. */
  get files(): WrittenFile[] {
    return listFiles(this.segments, this.empty);
  }

  /** The files that `read` takes, by name. */
  write(settings: string, redact?: (text: string) => string): Record<string, string | Iterable<string>> {
    const { segments, empty } = this;
    const manifest: StoredManifest = { version: VERSION, settings, segments, empty };
    return { [MANIFEST]: JSON.stringify(manifest), [NOTES]: this.#notes(redact) };
  }

  *#notes(redact?: (text: string) => string): Generator<string> {
    for (const session of this.sessions.values()) yield `${writeNote(session, redact)}\n`;
  }
}

function listFiles(segments: readonly Segment[], empty: readonly WrittenFile[]): WrittenFile[] {
  return [...segments.flatMap(({ written }) => written), ...empty];
}

function* linesOf(bytes: Buffer): Generator<string> {
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf("\n", start);
    if (end === -1) return;
    yield bytes.toString("latin1", start, end);
    start = end + 1;
  }
}
