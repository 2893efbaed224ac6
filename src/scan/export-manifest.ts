import type { ExportedFile } from "../export/export-target.js";
import type { ParquetFolder } from "../export/parquet-folder.js";
import type { WrittenFile } from "../export/parquet-rows.js";
import { FINGERPRINT_WORDS } from "../report/call-fingerprint.js";
import type { FoundSession } from "./tasks/fingerprints-task.js";

const MANIFEST = "manifest.json";
const CALLS = "calls.bin";

/** Changes with the form of the files that are written. */
const VERSION = 1;

/** Session files whose rows were written together, and the files with their rows. */
export interface Segment {
  files: ExportedFile[];
  written: WrittenFile[];
}

/** A session as the manifest has it: the fingerprints of its calls stand in a file of their own. */
type StoredSession = Omit<FoundSession, "fingerprints"> & { calls: number };

interface StoredManifest {
  version: number;
  settings: string;
  segments: Segment[];
  empty: WrittenFile[];
  sessions: StoredSession[];
}

/** What a Parquet folder holds, and the calls of its sessions, so that copies can be told without reading everything again. Memory: as `CallLedger`. */
export class ExportManifest {
  readonly segments: readonly Segment[];
  /** Files without rows, for tables that have none. */
  readonly empty: readonly WrittenFile[];
  readonly #sessions: Map<string, FoundSession>;

  constructor(segments: readonly Segment[], empty: readonly WrittenFile[], sessions: readonly FoundSession[]) {
    this.segments = segments;
    this.empty = empty;
    this.#sessions = new Map(sessions.map((session) => [session.path, session]));
  }

  /** What a folder holds; undefined when it has no whole export, be it that files were taken out of it, or one with other settings. */
  static async read(folder: ParquetFolder, settings: string): Promise<ExportManifest | undefined> {
    const [text, calls] = [await folder.read(MANIFEST), await folder.read(CALLS)];
    if (!text || !calls) return undefined;
    let stored: StoredManifest;
    try {
      stored = JSON.parse(text.toString()) as StoredManifest;
    } catch {
      return undefined; // Somebody else's hands were on it: all is exported anew.
    }
    if (stored.version !== VERSION || stored.settings !== settings) return undefined;
    const files = [...stored.segments.flatMap(({ written }) => written), ...stored.empty];
    if (!files.every((file) => folder.has(file))) return undefined;
    const words = new Int32Array(calls.buffer.slice(calls.byteOffset, calls.byteOffset + calls.byteLength));
    let at = 0;
    const sessions = stored.sessions.map(({ calls, ...session }) => {
      const fingerprints = words.subarray(at, at + calls * FINGERPRINT_WORDS);
      at += calls * FINGERPRINT_WORDS;
      return { ...session, fingerprints };
    });
    return at === words.length ? new ExportManifest(stored.segments, stored.empty, sessions) : undefined;
  }

  session(path: string): FoundSession | undefined {
    return this.#sessions.get(path);
  }

  /** The files that `read` takes, by name. */
  write(settings: string): Record<string, string | Uint8Array> {
    const found = [...this.#sessions.values()];
    const sessions = found.map(({ fingerprints, ...session }) => ({
      ...session,
      calls: fingerprints.length / FINGERPRINT_WORDS,
    }));
    const { segments, empty } = this;
    const manifest = { version: VERSION, settings, segments: [...segments], empty: [...empty], sessions };
    const calls = Buffer.concat(
      found.map(({ fingerprints: { buffer, byteOffset, byteLength } }) => Buffer.from(buffer, byteOffset, byteLength)),
    );
    return { [MANIFEST]: JSON.stringify(manifest satisfies StoredManifest), [CALLS]: calls };
  }
}
