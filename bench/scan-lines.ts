/**
 * What it costs to read lines in different depth: `node build/bench/scan-lines.js [FILE.jsonl …]`, without a file over lines made here.
 * The tasks take turns, and of several turns the middle one counts. Times are processor time.
 *
 * What the figures do not show: the lines lie in memory, where most of them stay in the processor's cache from turn to turn.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Bench } from "tinybench";
import type { JsonObject } from "../src/format/json.js";
import { scanner } from "../src/read/json-scanner.js";
import { type LeanWants, pruneEntry, readLeanEntry } from "../src/read/lean-entry.js";
import { makeTextPools, type TextPools } from "./corpus-text.js";
import { Random } from "./random.js";

const TURNS = 7;
const CORPUS_BYTES = 1_000_000;
const NEWLINE = 0x0a;

/** Lines in one buffer; line `i` is bytes[ends[i - 1] + 1, ends[i]). */
interface Corpus {
  name: string;
  bytes: Buffer;
  ends: number[];
}

function openCorpus(name: string, bytes: Buffer): Corpus {
  const ends: number[] = [];
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) ends.push(at);
  return { name, bytes, ends };
}

/** Lines as pi writes them, around text that is escaped already. */
class LineMaker {
  readonly #random = new Random(20260102);
  readonly #pools: TextPools = makeTextPools(7);
  #time = Date.parse("2026-01-02T03:04:05.678Z");
  #parentId: string | null = null;

  #entry(message: string): string {
    this.#time += this.#random.between(800, 9000);
    const id = this.#random.hex(8);
    const head = { type: "message", id, parentId: this.#parentId, timestamp: new Date(this.#time).toISOString() };
    this.#parentId = id;
    return `${JSON.stringify(head).slice(0, -1)},"message":{${message},"timestamp":${this.#time - 3}}}\n`;
  }

  user(median: number): string {
    const text = this.#pools.prose.piece(this.#random, this.#random.size(median, 0.5));
    return this.#entry(`"role":"user","content":[{"type":"text","text":"${text}"}]`);
  }

  toolResult(median: number): string {
    const text = this.#pools.code.piece(this.#random, this.#random.size(median, 1));
    const callId = `toolu_${this.#random.hex(8)}${this.#random.hex(8)}${this.#random.hex(8)}`;
    return this.#entry(
      `"role":"toolResult","toolCallId":"${callId}","toolName":"bash","content":[{"type":"text","text":"${text}"}],"isError":false`,
    );
  }

  assistant(median: number): string {
    const random = this.#random;
    const text = this.#pools.prose.piece(random, random.size(median, 0.5));
    const command = this.#pools.code.piece(random, random.size(median, 1));
    const tokens = {
      input: random.between(1, 2000),
      output: random.between(1, 900),
      cacheRead: random.between(0, 90_000),
    };
    const cost = {
      input: (3 * tokens.input) / 1e6,
      output: (15 * tokens.output) / 1e6,
      cacheRead: (0.3 * tokens.cacheRead) / 1e6,
    };
    const usage = JSON.stringify({
      ...tokens,
      cacheWrite: 0,
      totalTokens: tokens.input + tokens.output + tokens.cacheRead,
      cost: { ...cost, cacheWrite: 0, total: cost.input + cost.output + cost.cacheRead },
    });
    return this.#entry(
      `"role":"assistant","content":[{"type":"text","text":"${text}"},{"type":"toolCall","id":"toolu_1","name":"bash","arguments":{"command":"${command}"}}],"api":"anthropic-messages","provider":"anthropic","model":"claude-opus-4-5","usage":${usage},"stopReason":"toolUse"`,
    );
  }

  image(median: number): string {
    const data = this.#pools.base64.piece(this.#random, this.#random.size(median, 0.3));
    return this.#entry(`"role":"user","content":[{"type":"image","data":"${data}","mimeType":"image/png"}]`);
  }
}

function makeCorpora(): Corpus[] {
  const lines = new LineMaker();
  const fill = (name: string, next: ((turn: number) => string)[]) => {
    const text: string[] = [];
    for (let bytes = 0, turn = 0; bytes < CORPUS_BYTES; turn++) {
      text.push(next[turn % next.length]!(turn));
      bytes += text.at(-1)!.length;
    }
    return openCorpus(name, Buffer.from(text.join("")));
  };
  return [
    fill("short entries", [() => lines.user(40), () => lines.toolResult(40)]),
    fill("talk and tools", [() => lines.assistant(300), () => lines.toolResult(900)]),
    fill("long tool output", [() => lines.assistant(300), () => lines.toolResult(16_000)]),
    fill("images", [() => lines.image(60_000), () => lines.assistant(300)]),
  ];
}

type LineTask = (bytes: Buffer, start: number, end: number) => unknown;

const lean =
  (wants: LeanWants): LineTask =>
  (bytes, start, end) =>
    readLeanEntry(bytes, start, end, wants);

const tasks: [string, LineTask][] = [
  ["scan", (bytes, start, end) => scanner.scan(bytes, start, end)],
  ["lean, links", lean("links")],
  ["lean", lean({})],
  ["JSON.parse", (bytes, start, end) => JSON.parse(bytes.toString("utf8", start, end))],
];

function eachLine({ bytes, ends }: Corpus, task: LineTask): unknown {
  let last: unknown;
  let start = 0;
  for (const end of ends) {
    last = task(bytes, start, end);
    start = end + 1;
  }
  return last;
}

function findNewlines({ bytes }: Corpus): number {
  let lines = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) lines++;
  return lines;
}

/** The answers must be right before they may be fast. */
function checkAnswers(corpus: Corpus): void {
  eachLine(corpus, (bytes, start, end) => {
    assert.ok(scanner.scan(bytes, start, end));
    assert.ok(!scanner.scan(bytes, start, end - 1));
    const entry = JSON.parse(bytes.toString("utf8", start, end)) as JsonObject;
    for (const wants of ["links", {}, { content: true }] satisfies LeanWants[]) {
      assert.deepEqual(readLeanEntry(bytes, start, end, wants), pruneEntry(entry, wants));
    }
  });
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1]!;
}

/** In milliseconds, and of this process alone: the clock on the wall would also measure what else the machine does. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function measure(corpus: Corpus): Promise<void> {
  const bench = new Bench({ now: processorTime, time: 80, iterations: 8, warmupTime: 30, warmupIterations: 4 });
  bench.add("newlines", () => findNewlines(corpus));
  for (const [name, task] of tasks) bench.add(name, () => eachLine(corpus, task));
  const milliseconds = new Map<string, number[]>(bench.tasks.map((task) => [task.name, []]));
  for (let turn = 0; turn < TURNS; turn++) {
    for (const { name, result } of await bench.run()) {
      if (result.state !== "completed") throw new Error(`Cannot measure "${name}": ${result.state}`);
      milliseconds.get(name)!.push(result.latency.p50);
    }
  }
  const lines = corpus.ends.length;
  const size = corpus.bytes.length;
  console.log(`\n${corpus.name}: ${lines} lines of ${Math.round(size / lines)} bytes`);
  for (const [name, times] of milliseconds) {
    const time = median(times);
    const speed = `${(size / time / 1e6).toFixed(2)} GB/s`;
    console.log(`  ${name.padEnd(12)} ${speed.padStart(11)} ${Math.round((time * 1e6) / lines)} ns a line`);
  }
}

const files = process.argv.slice(2);
const corpora = files.length > 0 ? files.map((path) => openCorpus(path, readFileSync(path))) : makeCorpora();
for (const corpus of corpora) checkAnswers(corpus);
for (const corpus of corpora) await measure(corpus);
