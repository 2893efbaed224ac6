import { headerCwd, type SessionHeader } from "../format/header.js";
import type { Usage } from "../format/usage.js";
import { type Call, modelName } from "./call.js";
import { type UsageParts, UsageSum } from "./sum-usage.js";
import type { ZoneClock } from "./zone-clock.js";

/** What a report knows of the session that a call stands in. */
export interface CallOwner {
  sessionId: string;
  cwd: string | null;
}

/** The owner of the calls of a session. */
export function callOwner(header: SessionHeader): CallOwner {
  return { sessionId: header.id, cwd: headerCwd(header) };
}

/** A call on its way to a report. */
export interface OwnedCall {
  call: Call;
  owner: CallOwner;
  /** The leaf id of its branch, `shared`, or null for an entry outside the tree; only looked at when branches are asked for. */
  branch: string | null;
}

type KeyOf = (owned: OwnedCall, clock: ZoneClock) => string | null;

const atTime =
  (unit: "day" | "week" | "month" | "hour"): KeyOf =>
  ({ call }, clock) =>
    call.time === undefined ? null : clock[unit](call.time);

/** What calls can be grouped by, and how each key is told from a call. What a file does not say has the key null. */
const keys = {
  project: ({ owner }) => owner.cwd,
  session: ({ owner }) => owner.sessionId,
  branch: ({ branch }) => branch,
  model: ({ call }) => modelName(call),
  provider: ({ call }) => call.provider,
  day: atTime("day"),
  week: atTime("week"),
  month: atTime("month"),
  hour: atTime("hour"),
  source: ({ call }) => call.source,
  tool: ({ call }) => call.tool,
} satisfies Record<string, KeyOf>;

export type GroupKey = keyof typeof keys;

/** The names of all group keys. */
export const GROUP_KEYS = Object.keys(keys) as GroupKey[];

const timeKeys: ReadonlySet<GroupKey> = new Set(["day", "week", "month", "hour"]);

/** The usage of all calls that share a key. */
export interface UsageGroup extends Usage {
  key: Partial<Record<GroupKey, string | null>>;
}

export const GROUP_SORTS = ["key", "cost", "tokens", "calls"] as const;
export type GroupSort = (typeof GROUP_SORTS)[number];

/** The sums of groups on their way to another thread. */
export type GroupParts = { values: (string | null)[]; usage: UsageParts }[];

/** Sums by the value of one key, and below each by the values of the keys after it. */
type Level = Map<string | null, Level | UsageSum>;

/** Adds up calls by one or more keys. Memory: one sum a group. */
export class CallGroups {
  readonly by: readonly GroupKey[];
  readonly #keysOf: readonly KeyOf[];
  readonly #clock: ZoneClock;
  readonly #root: Level = new Map();

  /** `branch` implies `session`, since a leaf id means something only in its file. */
  constructor(by: readonly GroupKey[], clock: ZoneClock) {
    const unknown = by.find((name) => !Object.hasOwn(keys, name));
    if (unknown !== undefined) {
      throw new RangeError(`Cannot group by "${unknown}": it is none of ${GROUP_KEYS.join(", ")}`);
    }
    this.by = impliedKeys(by);
    this.#keysOf = this.by.map((name) => keys[name]);
    this.#clock = clock;
  }

  add(owned: OwnedCall): void {
    const clock = this.#clock;
    this.#sumAt(this.#keysOf.length, (at) => this.#keysOf[at]!(owned, clock)).add(owned.call.usage);
  }

  merge(parts: GroupParts): void {
    for (const { values, usage } of parts) this.#sumAt(values.length, (at) => values[at]!).merge(usage);
  }

  /** Takes away what was added before; a group without calls is none. */
  subtract(parts: GroupParts): void {
    for (const { values, usage } of parts) this.#sumAt(values.length, (at) => values[at]!).subtract(usage);
  }

  parts(): GroupParts {
    const parts: GroupParts = [];
    const walk = (level: Level, values: (string | null)[]): void => {
      for (const [value, below] of level) {
        if (below instanceof UsageSum) parts.push({ values: [...values, value], usage: below.parts() });
        else walk(below, [...values, value]);
      }
    };
    walk(this.#root, []);
    return parts;
  }

  /** The groups: by time where a time key is first, else by cost, highest first; or as asked. */
  groups(sort?: GroupSort, order?: "asc" | "desc"): UsageGroup[] {
    const isByTime = this.by[0] !== undefined && timeKeys.has(this.by[0]);
    const by = sort ?? (isByTime ? "key" : "cost");
    const direction = (order ?? (by === "key" ? "asc" : "desc")) === "asc" ? 1 : -1;
    const groups = this.parts().map(({ values, usage }): UsageGroup => {
      const sum = new UsageSum();
      sum.merge(usage);
      return { key: Object.fromEntries(this.by.map((name, at) => [name, values[at]!])), ...sum.total() };
    });
    return groups.filter(({ calls }) => calls > 0).sort((a, b) => direction * compareBy[by](a, b) || compareKeys(a, b));
  }

  #sumAt(depth: number, valueAt: (at: number) => string | null): UsageSum {
    let level = this.#root;
    for (let at = 0; at < depth - 1; at++) {
      const value = valueAt(at);
      let below = level.get(value) as Level | undefined;
      if (!below) level.set(value, (below = new Map()));
      level = below;
    }
    const value = valueAt(depth - 1);
    let sum = level.get(value) as UsageSum | undefined;
    if (!sum) level.set(value, (sum = new UsageSum()));
    return sum;
  }
}

function impliedKeys(by: readonly GroupKey[]): GroupKey[] {
  return [...new Set(by.flatMap((key): GroupKey[] => (key === "branch" ? ["session", "branch"] : [key])))];
}

const compareBy: Record<GroupSort, (a: UsageGroup, b: UsageGroup) => number> = {
  key: compareKeys,
  cost: (a, b) => a.costTotal - b.costTotal,
  tokens: (a, b) => a.totalTokens - b.totalTokens,
  calls: (a, b) => a.calls - b.calls,
};

/** Key by key, in code unit order; null comes last. */
function compareKeys(a: UsageGroup, b: UsageGroup): number {
  for (const name of Object.keys(a.key) as GroupKey[]) {
    const left = a.key[name] ?? null;
    const right = b.key[name] ?? null;
    if (left === right) continue;
    if (left === null) return 1;
    if (right === null) return -1;
    return left < right ? -1 : 1;
  }
  return 0;
}
