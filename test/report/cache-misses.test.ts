import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { SessionEntry } from "../../src/format/entry.js";
import type { JsonObject } from "../../src/format/json.js";
import { CacheMissFinder, type MissedCall, type MissReason } from "../../src/report/cache-misses.js";
import { SessionCalls } from "../../src/report/session-calls.js";
import { SessionIndex } from "../../src/tree/session-index.js";
import { assistant, at, entry, type Line, message, START, usage, user } from "../helpers/entries.js";
import { positionOf } from "../helpers/index-entries.js";
import { type PlainNode, treePlainly } from "../helpers/plain-tree.js";

const MINUTE_MS = 60_000;

/** Usage of a prompt: plain tokens at 3 dollars for a million, read ones at 0.3, written ones at 3.75. */
const prompt = (input: number, cacheRead = 0, cacheWrite = 0): Line => ({
  ...{ input, output: 7, cacheRead, cacheWrite, totalTokens: input + cacheRead + cacheWrite + 7 },
  cost: { input: input * 3e-6, output: 1, cacheRead: cacheRead * 0.3e-6, cacheWrite: cacheWrite * 3.75e-6, total: 2 },
});

/** A turn; ids are seconds, in hexadecimal. */
const turn = (id: string, parentId: string | null, usage: Line, more: Line = {}): Line =>
  assistant(id, parentId, "x", { model: "m", provider: "p", usage, ...more });

const warming = (id: string, parentId: string, model = "m"): Line =>
  entry("usage", id, parentId, { kind: "cache_warm", provider: "p", model, usage: prompt(0, 9000) });

interface Finding {
  misses: MissedCall[];
  cachingModels: Set<string | null>;
}

function findMisses(lines: readonly Line[], ttlMs = 5 * MINUTE_MS): Finding {
  const finder = new CacheMissFinder(ttlMs);
  const index = new SessionIndex();
  const calls = new SessionCalls({ mayRepeat: true }, (call, entry) => finder.addCall(call, entry as SessionEntry));
  for (const line of lines as unknown as SessionEntry[]) {
    const number = index.add(line, positionOf(index.size));
    calls.add(line, number);
    finder.addEntry(line, number);
  }
  calls.finish(index);
  return { misses: finder.finish(index), cachingModels: finder.cachingModels };
}

/** The entries that miss, with tokens and reason. */
const found = (lines: readonly Line[], ttlMs?: number): [string, number, MissReason][] =>
  findMisses(lines, ttlMs).misses.map(({ entryId, missedTokens, reason }) => [entryId, missedTokens, reason]);

test("CacheMissFinder finds what the turn before had in its prompt and this one did not read", () => {
  const lines = [
    user("1", null, "x"),
    turn("2", "1", prompt(10, 0, 9990)),
    user("3", "2", "x"),
    turn("4", "3", prompt(10, 9990, 500)),
    turn("5", "4", prompt(500, 3000, 7500)),
  ];
  const { misses, cachingModels } = findMisses(lines);
  // The prompt of 4 was 10,500, of which 5 read 3,000. It paid 500 × 3 + 7,500 × 3.75 = 29,625 millionths for 8,000 tokens: 3.703125 each, less 0.3.
  assert.ok(Math.abs(misses[0]!.missedCost - 7500 * 3.403125e-6) < 1e-12);
  assert.deepEqual(misses, [
    {
      ...{ ordinal: 2, entryId: "5", time: START + 5000, model: "p/m" },
      ...{ missedTokens: 7500, missedCost: misses[0]!.missedCost, reason: "unknown" },
    },
  ]);
  assert.deepEqual([...cachingModels], ["p/m"]);
});

test("CacheMissFinder lets 1,024 tokens pass, and counts more in full", () => {
  const after = (cacheRead: number) => [turn("1", null, prompt(9000)), turn("2", "1", prompt(9000, cacheRead))];
  assert.deepEqual(found(after(9000 - 1024)), []);
  assert.deepEqual(found(after(9000 - 1025)), [["2", 1025, "unknown"]]);
});

test("CacheMissFinder counts no more than the turn's own prompt holds", () => {
  assert.deepEqual(found([turn("1", null, prompt(50_000)), turn("2", "1", prompt(15_000, 5000))]), [
    ["2", 15_000, "unknown"],
  ]);
  assert.deepEqual(found([turn("1", null, prompt(50_000)), turn("2", "1", prompt(1000, 5000))]), []);
});

test("CacheMissFinder compares with the nearest earlier turn on the path, not in the file", () => {
  const lines = [
    turn("1", null, prompt(0, 0, 8000)),
    turn("2", "1", prompt(0, 8000, 40_000)),
    turn("3", "1", prompt(0, 8000, 100)),
    turn("4", "1", prompt(0, 2000, 6100)),
    turn("5", "2", prompt(0, 0, 48_100)),
  ];
  assert.deepEqual(found(lines), [
    ["4", 6000, "branch"],
    ["5", 48_000, "branch"],
  ]);
});

test("CacheMissFinder names a change of model first, then another branch, then a pause", () => {
  const first = turn("1", null, prompt(0, 0, 8000));
  const onOtherModel = { model: "n" };
  const later = "fff"; // More than an hour.
  const miss = prompt(0, 0, 8000);
  assert.deepEqual(found([first, turn(later, "1", miss, onOtherModel)]), [[later, 8000, "model"]]);
  assert.deepEqual(found([first, turn(later, "1", miss, { provider: "q" })]), [[later, 8000, "model"]]);
  assert.deepEqual(found([first, turn("2", "1", prompt(0, 8000)), turn(later, "1", miss)]), [[later, 8000, "branch"]]);
  assert.deepEqual(found([first, turn(later, "1", miss)]), [[later, 8000, "idle"]]);
  assert.deepEqual(found([first, turn("2", "1", miss)]), [["2", 8000, "unknown"]]);
});

test("CacheMissFinder takes the model that answered for the model", () => {
  const routed = (id: string, parentId: string | null, responseModel: string): Line =>
    turn(id, parentId, prompt(0, 0, 8000), { model: "auto", responseModel });
  assert.deepEqual(found([routed("1", null, "a"), routed("2", "1", "b"), routed("3", "2", "b")]), [
    ["2", 8000, "model"],
    ["3", 8000, "unknown"],
  ]);
});

test("CacheMissFinder calls a pause longer than the cache lives idle, and one as long not", () => {
  const lines = [turn("0", null, prompt(0, 0, 8000)), turn("78", "0", prompt(0, 0, 8000))]; // Two minutes.
  assert.deepEqual(found(lines), [["78", 8000, "unknown"]]);
  assert.deepEqual(found(lines, 2 * MINUTE_MS), [["78", 8000, "unknown"]]);
  assert.deepEqual(found(lines, 2 * MINUTE_MS - 1), [["78", 8000, "idle"]]);
});

test("CacheMissFinder counts a pause from the last call that kept the cache of the model warm", () => {
  const first = turn("0", null, prompt(0, 0, 8000));
  const miss = (parentId: string) => turn("200", parentId, prompt(0, 0, 8000)); // 512 seconds.
  assert.deepEqual(found([first, warming("100", "0"), user("1ff", "100", "x"), miss("1ff")]), [
    ["200", 8000, "unknown"],
  ]);
  assert.deepEqual(found([first, warming("80", "0"), warming("100", "80"), miss("100")]), [["200", 8000, "unknown"]]);
  assert.deepEqual(found([first, warming("100", "0"), miss("0")]), [["200", 8000, "idle"]], "on another branch");
  assert.deepEqual(found([first, warming("100", "0", "n"), miss("100")]), [["200", 8000, "idle"]], "another model");
  const other = { ...warming("100", "0"), kind: "title" };
  assert.deepEqual(found([first, other, miss("100")]), [["200", 8000, "idle"]], "another kind of call");
});

test("CacheMissFinder excuses turns behind a compaction or branch summary on their path", () => {
  const first = turn("1", null, prompt(0, 0, 8000));
  const miss = (id: string, parentId: string) => turn(id, parentId, prompt(0, 0, 8000));
  for (const type of ["compaction", "branch_summary"]) {
    const summary = entry(type, "2", "1", { summary: "s", usage: prompt(9000) });
    const lines = [first, summary, user("3", "2", "x"), miss("4", "3"), miss("5", "4"), miss("6", "1")];
    assert.deepEqual(found(lines), [
      ["5", 8000, "unknown"],
      ["6", 8000, "branch"],
    ]);
  }
});

test("CacheMissFinder passes over turns without a prompt, and answers without usage", () => {
  const lines = [
    turn("1", null, prompt(0, 0, 8000)),
    turn("2", "1", prompt(0), { stopReason: "error" }),
    turn("3", "2", { input: null, cost: null }),
    assistant("4", "3", "x", { model: "m", provider: "p", usage: undefined }),
    turn("5", "4", prompt(0, 0, 8000)),
  ];
  assert.deepEqual(found(lines), [["5", 8000, "unknown"]]);
});

test("CacheMissFinder takes tool results and other usage for no turns", () => {
  const lines = [
    turn("1", null, prompt(0, 0, 8000)),
    message("2", "1", { role: "toolResult", toolName: "t", usage: prompt(90_000) }),
    entry("usage", "3", "2", { kind: "title", provider: "p", model: "m", usage: prompt(90_000) }),
    turn("4", "3", prompt(100, 8000)),
  ];
  assert.deepEqual(found(lines), []);
});

test("CacheMissFinder counts a call on a repeated line once, and finds turns before on repeated lines", () => {
  const history = [turn("1", null, prompt(0, 0, 8000)), turn("2", "1", prompt(0, 0, 9000))];
  assert.deepEqual(found([...history, ...history, turn("3", "2", prompt(0, 0, 9000))]), [
    ["2", 8000, "unknown"],
    ["3", 9000, "unknown"],
  ]);
});

test("CacheMissFinder finds turns before that stand later in the file", () => {
  const lines = [turn("2", "1", prompt(0, 0, 9000)), turn("1", null, prompt(0, 0, 8000))];
  assert.deepEqual(found(lines), [["2", 8000, "branch"]]);
});

test("CacheMissFinder knows no path of entries without id, but what their models cached", () => {
  const lost = { ...turn("", "1", prompt(0, 500)), id: undefined };
  const { misses, cachingModels } = findMisses([turn("1", null, prompt(9000)), lost, turn("2", "1", prompt(9000))]);
  assert.deepEqual(
    misses.map(({ entryId }) => entryId),
    ["2"],
  );
  assert.deepEqual([...cachingModels], ["p/m"]);
});

test("CacheMissFinder tells the models whose own calls read from a cache or wrote to one", () => {
  const { cachingModels } = findMisses([
    turn("1", null, prompt(9000), { model: "plain" }),
    message("2", "1", { role: "toolResult", toolName: "t", usage: prompt(0, 9000) }), // Of whatever model the tool asked.
    turn("3", "2", prompt(10, 0, 1), { model: "writes" }),
    turn("4", "3", prompt(10, 1), { model: "reads", provider: undefined }),
    entry("usage", "5", "4", { kind: "k", provider: "p", model: "warms", usage: prompt(0, 1) }),
    turn("6", "5", prompt(10, 1), { model: undefined }),
  ]);
  assert.deepEqual([...cachingModels], ["p/writes", "reads", "p/warms", null]);
});

test("CacheMissFinder gives finite numbers, whatever a file holds", () => {
  const absurd = (cacheRead: number): Line => ({ input: 1e308, cacheRead, cacheWrite: 1e308, cost: { input: 1e308 } });
  const { misses } = findMisses([
    turn("1", null, absurd(0)),
    turn("2", "1", absurd(5e-324)),
    turn("3", "2", absurd(1)),
  ]);
  assert.equal(misses.length, 2);
  for (const { missedTokens, missedCost } of misses) {
    assert.ok(Number.isFinite(missedTokens) && Number.isFinite(missedCost));
  }
});

test("CacheMissFinder walks a long path once, however many turns hang on its end", () => {
  const chain = Array.from({ length: 10_000 }, (_, step) => {
    const id = step.toString(16).padStart(8, "0");
    const parentId = step === 0 ? null : (step - 1).toString(16).padStart(8, "0");
    return step === 0 ? turn(id, parentId, prompt(0, 0, 8000)) : warming(id, parentId!);
  });
  const end = chain.at(-1)!.id as string;
  const turns = Array.from({ length: 10_000 }, (_, number) => turn(`a${number}`, end, prompt(0, 0, 8000)));
  // Walked anew by each turn, these would be 100 million steps.
  assert.equal(findMisses([...chain, ...turns]).misses.length, 10_000);
});

// Against every path walked anew

/** What is found when each call looks up its path by itself. */
function findPlainly(entries: JsonObject[], ttlMs: number): [string, number, number, MissReason][] {
  const nodes = treePlainly(entries);
  const messageOf = ({ entry }: PlainNode) => (entry.message ?? {}) as { role?: string; model?: string; usage?: Line };
  const isTurn = (node: PlainNode) => messageOf(node).role === "assistant" && sizeOf(messageOf(node).usage!) > 0;
  const isCall = (node: PlainNode) => node.entry.type === "usage" || messageOf(node).role === "assistant";
  const isSummary = ({ entry }: PlainNode) => entry.type === "compaction" || entry.type === "branch_summary";
  const timeOf = ({ entry }: PlainNode) => Date.parse(entry.timestamp as string);
  const priced = entries.map((entry) => (entry.message ?? entry) as { model?: string; usage?: Line });

  return nodes.flatMap((node, place): [string, number, number, MissReason][] => {
    const isSame = (other: PlainNode) => other.id === node.id && timeOf(other) === timeOf(node);
    const isRepeated = nodes.slice(0, place).some((other) => isCall(other) && isSame(other));
    if (!isTurn(node) || isRepeated) return [];
    const path: PlainNode[] = [];
    for (let above = node.parent; above !== null; above = above.parent) path.push(above);
    const length = path.findIndex((above) => isTurn(above) || isSummary(above));
    const before = path[length];
    if (before === undefined || isSummary(before)) return [];
    const { model, usage } = messageOf(node);
    const missed = Math.min(sizeOf(usage!), sizeOf(messageOf(before).usage!)) - numberOf(usage!, "cacheRead");
    if (missed <= 1024) return [];

    // A call without a prompt keeps nothing warm.
    const isWarming = ({ entry }: PlainNode) => entry.kind === "cache_warm" && sizeOf(entry.usage as Line) > 0;
    const warmed = path.slice(0, length).find((above) => isWarming(above) && above.entry.model === model);
    const lastTurn = nodes.slice(0, place).findLast(isTurn);
    const reasons: [MissReason, boolean][] = [
      ["model", messageOf(before).model !== model],
      ["branch", lastTurn !== before],
      ["idle", timeOf(node) - timeOf(warmed ?? before) > ttlMs],
    ];
    const reason = reasons.find(([, holds]) => holds)?.[0] ?? "unknown";
    const ofModel = priced.filter((call) => call.model === model && call.usage !== undefined);
    return [
      [
        node.id,
        missed,
        missed *
          extraPrice(
            usage!,
            ofModel.map((call) => call.usage!),
          ),
        reason,
      ],
    ];
  });
}

const numberOf = (usage: Line, key: string): number => usage[key] as number;
const costOf = (usage: Line, key: string): number => (usage.cost as Record<string, number>)[key]!;
const sizeOf = (usage: Line): number =>
  ["input", "cacheRead", "cacheWrite"].reduce((sum, key) => sum + numberOf(usage, key), 0);

/** A mean price of tokens of one kind; NaN without any. */
const meanOf = (usages: Line[], ...kinds: string[]): number => {
  const sum = (of: (usage: Line, kind: string) => number) =>
    usages.flatMap((usage) => kinds.map((kind) => of(usage, kind))).reduce((total, one) => total + one, 0);
  return sum(costOf) / sum(numberOf);
};

function extraPrice(usage: Line, ofModel: Line[]): number {
  const paid = meanOf([usage], "input", "cacheWrite");
  const known = (...prices: number[]) => prices.find((price) => !Number.isNaN(price))!;
  const plain = known(meanOf([usage], "input"), meanOf(ofModel, "input"), paid);
  return Math.max(0, paid - known(meanOf([usage], "cacheRead"), meanOf(ofModel, "cacheRead"), plain / 10));
}

const someUsage = (): fc.Arbitrary<Line> => {
  const tokens = fc.constantFrom(0, 0, 900, 1200, 5000);
  return fc
    .record({ input: tokens, cacheRead: tokens, cacheWrite: tokens, price: fc.constantFrom(1, 2) })
    .map(({ input, cacheRead, cacheWrite, price }) => ({
      ...usage(0, 0, 0, { input, cacheRead, cacheWrite }),
      cost: { input: input * price, cacheRead: (cacheRead * price) / 4, cacheWrite: cacheWrite * 1.5 * price },
    }));
};

/** Entries with few ids, so that some meet, each below any earlier one; times go forth and back. What a warming ahead in the file warms is left open. */
const session = (): fc.Arbitrary<Line[]> =>
  fc
    .array(
      fc.record({
        kind: fc.constantFrom("turn", "turn", "turn", "turn", "user", "warm", "compaction", "branch_summary"),
        id: fc.option(fc.nat(11), { freq: 5 }),
        above: fc.nat(4),
        second: fc.nat(9),
        model: fc.constantFrom("m", "m", "n"),
        usage: someUsage(),
      }),
      { minLength: 2, maxLength: 14 },
    )
    .map((sketches) => {
      const ids = sketches.map(({ id }, place) => (id === null ? `own-${place}` : `id-${id}`));
      return sketches.map(({ kind, above, second, model, usage }, place) => {
        const base = { id: ids[place], parentId: ids[place - above] ?? null, timestamp: at(second) };
        if (kind === "user") return { ...base, type: "message", message: { role: "user", content: "x" } };
        if (kind === "warm") return { ...base, type: "usage", kind: "cache_warm", model, usage };
        if (kind !== "turn") return { ...base, type: kind, summary: "s" };
        return { ...base, type: "message", message: { role: "assistant", model, usage } };
      });
    });

test("CacheMissFinder agrees with a search along every path anew", () => {
  let misses = 0;
  fc.assert(
    fc.property(session(), (lines) => {
      const right = findPlainly(lines as JsonObject[], 3000);
      const actual = findMisses(lines, 3000).misses;
      const shown = actual.map(({ entryId, missedTokens, reason }) => [entryId, missedTokens, reason]);
      assert.deepEqual(
        shown,
        right.map(([id, tokens, , reason]) => [id, tokens, reason]),
      );
      for (const [place, { missedCost }] of actual.entries()) {
        assert.ok(Math.abs(missedCost - right[place]![2]) <= 1e-9 * Math.max(1, missedCost));
      }
      misses += actual.length;
    }),
    { numRuns: 500 },
  );
  assert.ok(misses > 100, "the sessions are such that there are misses");
});
