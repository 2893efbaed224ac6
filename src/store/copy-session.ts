import { constants } from "node:buffer";
import { SessionFormatError } from "../errors.js";
import type { SessionEntry } from "../format/entry.js";
import type { EntryPosition, TruncatedString } from "../format/entry-record.js";
import { CURRENT_SESSION_VERSION, headerVersion, type SessionHeader } from "../format/header.js";
import type { Problem } from "../format/problem.js";
import type { EntrySink } from "../read/entry-parser.js";
import { MAX_LINE_BYTES } from "../read/limits.js";
import { pumpSessionSync, SessionPump } from "../read/pump-session.js";
import { CHUNK_BYTES, readRangeSync } from "../read/read-chunks.js";
import type { FileWriter } from "./file-writer.js";
import { readHeaderSync } from "./read-header-sync.js";

export interface CopySessionOptions {
  /** The header of the copy, from that of the session. */
  header: (header: SessionHeader) => SessionHeader;
  /** Also copies what readers pass over: records before the header, and further headers. */
  keepOthers: boolean;
}

/**
 * Copies all entries of an open session, as version 3, behind another header. An entry that needs no change is copied byte for byte, and so are those
 * recovered from damaged lines, without the damage. Memory: one chunk; of versions 1 and 2, also their longest line.
 *
 * @throws SessionFormatError for a file that is no session, and for a line of an old version that is too long to be rewritten.
 */
export function copySession(from: number, path: string, writer: FileWriter, options: CopySessionOptions): void {
  const isOld = headerVersion(readHeaderSync(from, path)) < CURRENT_SESSION_VERSION;
  const sink = new CopySink(from, path, writer, isOld, options);
  // Entries that may change have to be whole; of all others the place is enough.
  const pump = isOld
    ? new SessionPump(from, path, sink, { maxLineBytes: constants.MAX_STRING_LENGTH })
    : new SessionPump(from, path, sink, { lean: "links", maxLineBytes: MAX_LINE_BYTES });
  pumpSessionSync(pump, from);
}

class CopySink implements EntrySink {
  readonly #from: number;
  readonly #path: string;
  readonly #writer: FileWriter;
  readonly #isOld: boolean;
  readonly #options: CopySessionOptions;
  #damagedLine = 0;

  constructor(from: number, path: string, writer: FileWriter, isOld: boolean, options: CopySessionOptions) {
    this.#from = from;
    this.#path = path;
    this.#writer = writer;
    this.#isOld = isOld;
    this.#options = options;
  }

  header(header: SessionHeader): void {
    this.#writer.writeLine(this.#options.header(header));
  }

  entry(
    entry: SessionEntry,
    line: number,
    byteOffset: number,
    byteLength: number,
    _ordinal: number,
    truncated: TruncatedString[] | undefined,
  ): void {
    if (this.#isOld && this.#isChanged(entry, { line, byteOffset, byteLength }, truncated)) {
      this.#writer.writeLine(entry);
    } else {
      this.#writer.copyLine(this.#from, byteOffset, byteLength);
    }
  }

  problem({ severity, code, line, byteOffset }: Problem): void {
    if (severity === "damage") {
      this.#damagedLine = line;
    } else if (this.#options.keepOthers && (code === "record-before-header" || code === "second-header")) {
      // On a damaged line more may stand behind it.
      if (line !== this.#damagedLine)
        this.#writer.copyLine(this.#from, byteOffset, this.#lineEnd(byteOffset) - byteOffset);
    }
  }

  /** Whether migration made another entry of what stands in the file. */
  #isChanged(entry: SessionEntry, { line, byteOffset, byteLength }: EntryPosition, truncated: unknown): boolean {
    if (truncated) {
      const message = `Cannot migrate "${this.#path}": line ${line} is longer than any string can be`;
      throw new SessionFormatError("NOT_A_SESSION", message, { path: this.#path, line, byteOffset });
    }
    const written: unknown = JSON.parse(readRangeSync(this.#from, byteOffset, byteLength).toString());
    return JSON.stringify(written) !== JSON.stringify(entry);
  }

  #lineEnd(start: number): number {
    for (let at = start; ; at += CHUNK_BYTES) {
      const bytes = readRangeSync(this.#from, at, CHUNK_BYTES);
      const newline = bytes.indexOf(0x0a);
      if (newline !== -1) return at + newline;
      if (bytes.length < CHUNK_BYTES) return at + bytes.length;
    }
  }
}
