import { basename } from "node:path";
import type { CorpusFile } from "./corpus-file.js";
import type { Attribution, Call, SessionTruth, StoredCall } from "./truth.js";

/**
 * How the lines of a file look: as pi wrote them in versions 1, 2 and 3, or `migrated`: a version 1 file that pi rewrote as version 3, which leaves
 * the new keys (`version`, `id`, `parentId`) behind the old ones.
 */
export type Layout = "v1" | "v2" | "v3" | "migrated";

/** What the generator remembers of an entry that it wrote. */
interface WrittenEntry {
  type: string;
  id: string;
  /** Unix milliseconds. */
  time: number;
  /** Index of the parent in the same file, -1 for a root. */
  parent: number;
  /** Its bytes in the file, the newline included. */
  start: number;
  end: number;
  /** The model that later usage on this path belongs to. */
  attribution: Attribution | undefined;
  call: Call | undefined;
  /** Time of a user or assistant message, else 0. */
  activity: number;
  /** The session's name as of this entry, for entries that set it. */
  name: string | undefined;
  /** The keys of its own, kept only in layouts whose forks write them anew. */
  fields: string | undefined;
}

export type EntryFacts = Partial<Pick<WrittenEntry, "attribution" | "call" | "activity" | "name">>;

export interface SessionOptions {
  file: CorpusFile;
  /** Below the store. */
  path: string;
  id: string;
  cwd: string;
  layout: Layout;
  /** Unix milliseconds. */
  created: number;
  /** What the header says of the parent: a path or an id. */
  parent?: string;
  /** Writes a record of another program before the header. */
  titleFirst?: boolean;
  /** Gives an id that no entry of the family has. */
  makeId: () => string;
}

/** Types whose own keys pi writes before the common ones. */
const FIELDS_FIRST = new Set(["custom", "custom_message"]);

/** Writes one session file, and remembers what a fork of it and the truth about it need. */
export class CorpusSession {
  readonly entries: WrittenEntry[] = [];
  /** Index of the entry that the next one becomes a child of, -1 for none. */
  leaf = -1;
  /** Unix milliseconds; only ever moves on, so that no two calls of a family share their time. */
  clock: number;
  private name: string | null = null;
  private messageCount = 0;
  private damagedLines = 0;
  private modified = 0;

  constructor(private readonly options: SessionOptions) {
    this.clock = options.created;
    const { file, layout, id, cwd, parent } = options;
    if (options.titleFirst) file.write('{"type":"title","title":"Untitled"}\n');
    const common = `"id":"${id}","timestamp":"${toIso(options.created)}","cwd":${JSON.stringify(cwd)}`;
    const v1Keys = ',"provider":"anthropic","modelId":"claude-sonnet-4-5","thinkingLevel":"off"';
    const isOld = layout === "v1" || layout === "migrated";
    const link = parent === undefined ? "" : `,"${isOld ? "branchedFrom" : "parentSession"}":${JSON.stringify(parent)}`;
    if (isOld) {
      const version = layout === "migrated" ? ',"version":3' : "";
      file.write(`{"type":"session",${common}${v1Keys}${link}${version}}\n`);
    } else {
      file.write(`{"type":"session","version":${layout.slice(1)},${common}${link}}\n`);
    }
  }

  get layout(): Layout {
    return this.options.layout;
  }

  get path(): string {
    return this.options.path;
  }

  get id(): string {
    return this.options.id;
  }

  get cwd(): string {
    return this.options.cwd;
  }

  get file(): CorpusFile {
    return this.options.file;
  }

  /** The model that usage at the leaf belongs to, when its entry names none. */
  get attribution(): Attribution | undefined {
    return this.entries[this.leaf]?.attribution;
  }

  /** Appends an entry as a child of the leaf, and becomes the leaf. `fields` is the JSON of its own keys. Returns its index. */
  append(type: string, fields: string | readonly string[], facts: EntryFacts = {}): number {
    const id = this.options.makeId();
    const pieces = typeof fields === "string" ? [fields] : fields;
    const start = this.file.size;
    const parentId = this.leaf < 0 ? "null" : `"${this.entries[this.leaf]!.id}"`;
    const time = `"timestamp":"${toIso(this.clock)}"`;
    const links = `"id":"${id}","parentId":${parentId}`;
    let [before, after] = [`${links},${time},`, ""];
    if (this.layout === "v1") before = `${time},`;
    else if (this.layout === "migrated") [before, after] = [`${time},`, `,${links}`];
    else if (FIELDS_FIRST.has(type)) [before, after] = ["", `,${links},${time}`];
    this.file.write(`{"type":"${type}",${before}`);
    for (const piece of pieces) this.file.write(piece);
    this.file.write(`${after}}\n`);
    return this.remember({
      type,
      id,
      time: this.clock,
      parent: this.leaf,
      start,
      end: this.file.size,
      attribution: facts.attribution ?? this.attribution,
      call: facts.call,
      activity: facts.activity ?? 0,
      name: facts.name,
      fields: this.layout === "v1" || this.layout === "migrated" ? pieces.join("") : undefined,
    });
  }

  /** Copies entries of another session byte for byte; `indexes` rise, and hold the parent of each entry that has one. */
  copyEntries(source: CorpusSession, indexes: readonly number[]): void {
    const places = new Map<number, number>([[-1, -1]]);
    for (let first = 0; first < indexes.length; ) {
      let last = first;
      while (last + 1 < indexes.length && isNextEntry(source, indexes[last]!, indexes[last + 1]!)) last += 1;
      const shift = this.file.size - source.entries[indexes[first]!]!.start;
      for (let at = first; at <= last; at++) {
        const entry = source.entries[indexes[at]!]!;
        const parent = places.get(entry.parent)!;
        places.set(
          indexes[at]!,
          this.remember({ ...entry, parent, start: entry.start + shift, end: entry.end + shift }),
        );
      }
      this.file.copy(source.file, source.entries[indexes[first]!]!.start, source.entries[indexes[last]!]!.end);
      first = last + 1;
    }
  }

  /** Copies the first `count` entries of an old session as old branching did: entry times (and ids, where the layout has them) are new, messages are not. */
  rewriteEntries(source: CorpusSession, count: number): void {
    for (const entry of source.entries.slice(0, count)) {
      this.clock += 1;
      this.append(entry.type, entry.fields!, entry);
    }
  }

  /** The front part of an entry, without a newline: whatever comes next lands on the same line. */
  tear(fragment: string): void {
    this.file.write(fragment);
    this.damagedLines += 1;
  }

  /** A line of NUL bytes. */
  writeNuls(length: number): void {
    this.file.write(`${"\0".repeat(length)}\n`);
    this.damagedLines += 1;
  }

  /** The indexes from the root to an entry. */
  pathTo(index: number): number[] {
    const path: number[] = [];
    for (let at = index; at >= 0; at = this.entries[at]!.parent) path.push(at);
    return path.reverse();
  }

  /** How pi would name the file on the machine that wrote it. */
  get writtenPath(): string {
    return `/home/u/.pi/agent/sessions/${this.path}`;
  }

  /** The file's name without its ending: sub-agents lie in a folder of this name. */
  get stem(): string {
    return basename(this.path, ".jsonl");
  }

  *calls(): Generator<StoredCall> {
    for (const { id, time, call } of this.entries) {
      if (call) yield { call, id: this.layout === "v1" ? "" : id, entryTime: time };
    }
  }

  describe(): Omit<SessionTruth, "usage"> {
    const isParent = new Uint8Array(this.entries.length);
    for (const entry of this.entries) if (entry.parent >= 0) isParent[entry.parent] = 1;
    return {
      path: this.path,
      headerLine: this.options.titleFirst ? 2 : 1,
      id: this.id,
      cwd: this.cwd,
      name: this.name || null,
      version: this.layout === "migrated" ? 3 : Number(this.layout.slice(1)),
      created: toIso(this.options.created),
      modified: toIso(this.modified || this.options.created),
      entryCount: this.entries.length,
      messageCount: this.messageCount,
      branches: this.entries.length - isParent.reduce((count, flag) => count + flag, 0),
      damagedLines: this.damagedLines,
      sizeBytes: this.file.size,
    };
  }

  private remember(entry: WrittenEntry): number {
    this.leaf = this.entries.push(entry) - 1;
    if (entry.type === "message") this.messageCount += 1;
    this.modified = Math.max(this.modified, entry.activity);
    if (entry.name !== undefined) this.name = entry.name;
    return this.leaf;
  }
}

function isNextEntry(source: CorpusSession, index: number, next: number): boolean {
  return next === index + 1 && source.entries[index]!.end === source.entries[next]!.start;
}

function toIso(time: number): string {
  return new Date(time).toISOString();
}
