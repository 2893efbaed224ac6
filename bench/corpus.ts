/**
 * Writes a seeded corpus of sessions and, beside it, what is true of it:
 *
 *     node build/bench/corpus.js --shape many --bytes 400000000 --sessions 2000 --seed 1 --out FOLDER
 *
 * `FOLDER` is laid out as a home directory (`.pi/agent/sessions/…`), since some tools look nowhere else, and also gets `truth.json`. The same options
 * and seed give the same bytes.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { CorpusFile } from "./corpus-file.js";
import { CorpusSession, type Layout } from "./corpus-session.js";
import { Talk } from "./corpus-talk.js";
import { makeTextPools, type TextPools } from "./corpus-text.js";
import { hex8, Random } from "./random.js";
import { type Truth, TruthAdder } from "./truth.js";

export interface CorpusOptions {
  shape: Shape;
  /** About how many bytes in all; of `line`, how long its image is. */
  bytes: number;
  /** How many session files; `outside`, `line` and `entries` are one. */
  sessions: number;
  seed: number;
  /** A folder that does not exist yet. */
  out: string;
}

/** What each shape is for, with its default size. */
export const SHAPES = {
  /** Thousands of sessions of all sizes: the main job. */
  many: { bytes: 400_000_000, sessions: 2000 },
  /** Few files, the first half of all bytes. */
  huge: { bytes: 4_000_000_000, sessions: 6 },
  /** Tens of thousands of short sessions; they run over their share, to some 220 MB in all. */
  small: { bytes: 150_000_000, sessions: 50_000 },
  /** One session whose bulk lies outside the current context, half of it before a compaction, half on an abandoned branch. */
  outside: { bytes: 650_000_000, sessions: 1 },
  /** One session with one line that holds an image. */
  line: { bytes: 300_000_000, sessions: 1 },
  /** One session of small entries, about 276 bytes each: by default a million of them. */
  entries: { bytes: 276_000_000, sessions: 1 },
} as const;

export type Shape = keyof typeof SHAPES;

/** The store of a corpus. */
export function storeFolder(out: string): string {
  return join(out, ".pi", "agent", "sessions");
}

export function writeCorpus(options: CorpusOptions): Truth {
  if (existsSync(options.out)) throw new Error(`Cannot write a corpus to "${options.out}": it exists already`);
  const writer = new CorpusWriter(options);
  const truth = writer.write();
  writeFileSync(join(options.out, "truth.json"), `${JSON.stringify(truth)}\n`);
  return truth;
}

const DAY = 86_400_000;

/** When sessions of a layout begin: from the start, for so many days. Old layouts lie before new ones. */
const ERAS: Record<Layout, { start: number; days: number }> = {
  migrated: { start: Date.UTC(2025, 7, 1), days: 30 },
  v1: { start: Date.UTC(2025, 7, 1), days: 60 },
  v2: { start: Date.UTC(2025, 9, 15), days: 20 },
  v3: { start: Date.UTC(2025, 10, 20), days: 150 },
};

/** Of 20 families in a row, the layouts. */
const LAYOUTS: readonly Layout[] = [
  ...Array<Layout>(8).fill("v3"),
  "v1",
  "v2",
  ...Array<Layout>(7).fill("v3"),
  "migrated",
  "v2",
  "v3",
];

/** How a fork comes from its parent. A sub-agent lies in a folder below its parent's project. */
type ForkStyle = "copy" | "path" | "unlinked" | "elsewhere" | "agent" | "agentWithCopy";

/** The styles of forks in a row; old layouts only copy. */
const FORK_STYLES: readonly ForkStyle[] = ["copy", "agent", "path", "agentWithCopy", "copy", "unlinked", "elsewhere"];

/** The damage of damaged sessions in a row. */
const DAMAGES = ["torn-tail", "glued", "nul"] as const;

/** Spreads the marks of a corpus: every trait comes up at a fixed pace, so that small corpora have them all too. */
class Pace {
  private count = 0;

  /** The next of `items`, round and round. */
  next<T>(items: readonly T[]): T {
    return items[this.count++ % items.length]!;
  }

  /** True once in `period` calls, the first time at call `first` (from 1). */
  isDue(period: number, first: number): boolean {
    return this.count++ % period === first - 1;
  }
}

class CorpusWriter {
  private readonly random: Random;
  private readonly pools: TextPools;
  private readonly truth = new TruthAdder();
  private readonly buffer = CorpusFile.makeBuffer();
  private readonly store: string;
  private readonly projects: string[] = [];
  private readonly layouts = new Pace();
  private readonly forkStyles = new Pace();
  private readonly gonePace = new Pace();
  private readonly damagePace = new Pace();
  private readonly damages = new Pace();
  private readonly titlePace = new Pace();
  private readonly linkPace = new Pace();
  private readonly otherPace = new Pace();
  private readonly sameIdsPace = new Pace();

  constructor(private readonly options: CorpusOptions) {
    this.random = new Random(options.seed);
    this.pools = makeTextPools(options.seed);
    this.store = storeFolder(options.out);
    mkdirSync(this.store, { recursive: true });
    const count = Math.max(3, Math.min(60, Math.round(options.sessions / 30)));
    for (let number = 1; number <= count; number++) this.projects.push(`/home/u/work/project-${number}`);
  }

  write(): Truth {
    const { shape, seed, bytes } = this.options;
    switch (shape) {
      case "many":
      case "small":
      case "huge":
        this.writeFamilies();
        break;
      case "outside":
        this.writeAlone((talk, session) => this.writeOutside(talk, session));
        break;
      case "line":
        this.writeAlone((talk) => {
          talk.exchange(500);
          talk.showImage(bytes);
          talk.exchange(500);
        });
        break;
      case "entries":
        this.writeAlone((talk, session) => {
          while (session.file.size < bytes) talk.smallTalk();
        });
        break;
    }
    return this.truth.finish(shape, seed);
  }

  private writeFamilies(): void {
    const budgets = this.shareOutBytes();
    for (let family = 0; budgets.length > 0; family++) {
      const members = family % 3 === 0 ? 2 + ((family / 3) % 3) : 1;
      this.writeFamily(budgets.splice(0, members));
    }
  }

  /** How many bytes each session gets. */
  private shareOutBytes(): number[] {
    const { shape, sessions, bytes } = this.options;
    const weights: number[] = [];
    for (let index = 0; index < sessions; index++) {
      weights.push(shape === "huge" ? 0.5 ** (index + 1) : this.random.size(1000, shape === "many" ? 1.1 : 0.3));
    }
    const sum = weights.reduce((total, weight) => total + weight, 0);
    return weights.map((weight) => (bytes * weight) / sum);
  }

  /** A session and its forks, one of `budgets` bytes each. In some families the first file is deleted when the others are done. */
  private writeFamily(budgets: readonly number[]): void {
    const { random } = this;
    const layout = this.layouts.next(LAYOUTS);
    const isGone = budgets.length > 1 && this.gonePace.isDue(5, 2);
    const era = ERAS[layout];
    const family: CorpusSession[] = [];
    // Two unrelated families in a hundred share their ids: the same id is not the same call.
    const idSeed = this.sameIdsPace.isDue(50, 5) ? this.options.seed : random.bits();
    let idCount = 0;
    const makeId = () => mixId(idSeed, idCount++);
    let clock = era.start + Math.floor(random.fraction() * era.days * DAY);
    const sizes = isGone ? [budgets[0]!, ...budgets] : budgets;
    for (const [number, size] of sizes.entries()) {
      const parent = number === 0 ? undefined : random.pick(family);
      const session = parent
        ? this.beginFork(parent, layout, clock, makeId, size, isGone && parent === family[0])
        : this.beginSession({ layout, created: clock, cwd: this.pickProject(), makeId });
      this.fill(session, size);
      clock = session.clock + random.size(3_600_000, 1);
      family.push(session);
    }
    for (const session of family) {
      session.file.close(session.clock);
      if (isGone && session === family[0]) rmSync(session.file.path);
      else this.truth.addSession(session.describe(), session.calls());
    }
    if (this.otherPace.isDue(12, 4)) this.writeOtherFile(family.at(-1)!);
  }

  private beginSession(options: {
    layout: Layout;
    created: number;
    cwd: string;
    makeId: () => string;
    parent?: string;
    folder?: string;
  }): CorpusSession {
    const { layout, created, cwd, makeId } = options;
    const id = makeSessionId(created, this.random);
    const name = `${new Date(created).toISOString().replace(/[:.]/g, "-")}_${id}.jsonl`;
    const path = options.folder ? `${options.folder}/session.jsonl` : `${projectFolder(cwd)}/${name}`;
    const fullPath = join(this.store, path);
    mkdirSync(dirname(fullPath), { recursive: true });
    return new CorpusSession({
      file: new CorpusFile(fullPath, this.buffer),
      path,
      id,
      cwd,
      layout,
      created,
      makeId,
      titleFirst: layout === "v3" && this.titlePace.isDue(150, 20),
      ...(options.parent === undefined ? {} : { parent: options.parent }),
    });
  }

  /** A new session that starts with a part of `parent`, at most four fifths of `size` bytes. */
  private beginFork(
    parent: CorpusSession,
    layout: Layout,
    created: number,
    makeId: () => string,
    size: number,
    isParentGone: boolean,
  ): CorpusSession {
    const { random } = this;
    const isOld = layout === "v1" || layout === "migrated";
    const style: ForkStyle = isOld ? "copy" : this.forkStyles.next(FORK_STYLES);
    const isAgent = style === "agent" || style === "agentWithCopy";
    const run = random.hex(8);
    const folder = `${projectFolder(parent.cwd)}/${parent.stem}/${run}/run-1`;
    const session = this.beginSession({
      layout,
      created,
      cwd: style === "elsewhere" ? this.pickProject() : parent.cwd,
      makeId,
      ...(style === "unlinked" ? {} : { parent: isOld || isParentGone ? parent.writtenPath : this.nameParent(parent) }),
      ...(isAgent ? { folder } : {}),
    });
    const count = this.countToCopy(parent, size * 0.8);
    if (style === "agent" || count === 0) return session;
    // The same calls under new ids and entry times; half of the version 1 forks keep their lines as they were.
    if (layout === "migrated" || (layout === "v1" && random.chance(0.5))) session.rewriteEntries(parent, count);
    else
      session.copyEntries(
        parent,
        style === "path" ? parent.pathTo(count - 1) : Array.from({ length: count }, (_, index) => index),
      );
    return session;
  }

  /** How a fork names its parent: mostly by path, now and then as another system or another agent writes it. */
  private nameParent(parent: CorpusSession): string {
    if (this.linkPace.isDue(12, 3)) return `C:\\Users\\u\\.pi\\agent\\sessions\\${parent.path.replaceAll("/", "\\")}`;
    if (this.linkPace.isDue(11, 5)) return parent.id;
    return parent.writtenPath;
  }

  private countToCopy(parent: CorpusSession, maxBytes: number): number {
    const share = this.random.fraction();
    let count = 0;
    const end = Math.min(maxBytes, parent.file.size * (0.2 + 0.8 * share));
    while (count < parent.entries.length && parent.entries[count]!.end <= end) count += 1;
    return count;
  }

  private fill(session: CorpusSession, size: number): void {
    const talk = new Talk(session, this.random, this.pools);
    const damage = this.damagePace.isDue(25, 7) ? this.damages.next(DAMAGES) : undefined;
    if (damage === "glued" || damage === "nul") talk.planDamage(damage);
    if (session.entries.length === 0) talk.begin();
    else session.clock += 60_000;
    do talk.turn(size);
    while (session.file.size < size);
    if (damage === "torn-tail") session.tear(talk.tornLine());
    session.file.flush();
  }

  /** One session alone in its store. */
  private writeAlone(fill: (talk: Talk, session: CorpusSession) => void): void {
    let idCount = 0;
    const idSeed = this.random.bits();
    const session = this.beginSession({
      layout: "v3",
      created: ERAS.v3.start,
      cwd: this.projects[0]!,
      makeId: () => mixId(idSeed, idCount++),
    });
    const talk = new Talk(session, this.random, this.pools);
    talk.begin();
    fill(talk, session);
    session.file.flush();
    session.file.close(session.clock);
    this.truth.addSession(session.describe(), session.calls());
  }

  private writeOutside(talk: Talk, session: CorpusSession): void {
    const { bytes } = this.options;
    while (session.file.size < bytes / 2) talk.exchange(100_000);
    const firstKept = session.entries.length;
    talk.exchange(2000);
    talk.compact(firstKept);
    talk.exchange(2000);
    const stay = session.leaf;
    while (session.file.size < bytes) talk.exchange(100_000);
    session.leaf = stay;
    const compaction = stay - 4;
    for (let turn = 0; turn < 20; turn++) talk.exchange(2000);
    const path = session.pathTo(session.leaf);
    const kept = path.filter((index) => index >= firstKept && index !== compaction);
    const entryIds = [compaction, ...kept].map((index) => session.entries[index]!.id);
    this.truth.context = { path: session.path, entryIds };
  }

  /** A `.jsonl` file that is no session, as extensions leave them: an empty one, a log, or entries without a header. */
  private writeOtherFile(beside: CorpusSession): void {
    const folder = `${dirname(beside.path)}/${beside.stem}`;
    mkdirSync(join(this.store, folder), { recursive: true });
    const usage = '"usage":{"input":3,"output":3,"cost":{"total":8.5}}';
    const logLine = `{"type":"step","ts":1767323046558,${usage},"text":"${this.pools.code.piece(this.random, 300)}"}\n`;
    const entry = `{"type":"message","id":"${this.random.hex(8)}","parentId":null,"timestamp":"2026-01-02T03:04:06.678Z","message":{"role":"user","content":"hi","timestamp":1767323046558}}\n`;
    const text = this.random.pick(["", logLine.repeat(20), entry]);
    const file = new CorpusFile(join(this.store, folder, "events.jsonl"), this.buffer);
    file.write(text);
    file.flush();
    file.close(beside.clock);
    this.truth.addOtherFile(file.size);
  }

  /** A few projects are busy, most are not. */
  private pickProject(): string {
    return this.projects[Math.floor(this.random.fraction() ** 2 * this.projects.length)]!;
  }
}

/** 8 hex digits, different for each `count` of one seed: every step can be undone, so no two counts meet. */
function mixId(seed: number, count: number): string {
  let bits = (seed + count) | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return hex8(bits ^ (bits >>> 16));
}

/** A UUID of version 7. */
function makeSessionId(created: number, random: Random): string {
  const time = created.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.hex(3)}-8${random.hex(3)}-${random.hex(8)}${random.hex(4)}`;
}

/** The folder of a project below the store. */
function projectFolder(cwd: string): string {
  return `--${cwd.slice(1).replaceAll("/", "-")}--`;
}

function isShape(word: string): word is Shape {
  return Object.hasOwn(SHAPES, word);
}

function main(): void {
  const { values } = parseArgs({
    options: {
      shape: { type: "string", default: "many" },
      bytes: { type: "string" },
      sessions: { type: "string" },
      seed: { type: "string", default: "1" },
      out: { type: "string" },
    },
  });
  const { shape, out } = values;
  if (!isShape(shape))
    throw new RangeError(`Cannot make shape "${shape}": it is none of ${Object.keys(SHAPES).join(", ")}`);
  if (out === undefined) throw new TypeError("Cannot write a corpus: --out FOLDER is missing");
  const truth = writeCorpus({
    shape,
    bytes: Number(values.bytes ?? SHAPES[shape].bytes),
    sessions: Number(values.sessions ?? SHAPES[shape].sessions),
    seed: Number(values.seed),
    out,
  });
  const { bytes, files, sessions, entries, damagedLines, total, duplicates } = truth;
  process.stdout.write(`${JSON.stringify({ bytes, files, sessions, entries, damagedLines, total, duplicates })}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
