import type { TruncatedString } from "../format/entry-record.js";
import type { JsonObject } from "../format/json.js";

/** Containers on this level are kept empty, so that nobody who walks the value gets into trouble. */
const MAX_DEPTH = 1000;
/** Rough sizes in memory, beside the text: of any value in its container, of a member's place in its object, of an object or array itself. */
const VALUE_BYTES = 16;
const MEMBER_BYTES = 48;
const CONTAINER_BYTES = 160;
const MAX_TRUNCATED = 1000;
const MAX_PATH_LENGTH = 1000;

/** The members of an object that must survive, by name: each as a scalar, and those with essential members of their own also as an object. */
interface Essentials extends ReadonlyMap<string, Essentials> {}

const scalars = (...names: string[]): [string, Essentials][] => names.map((name) => [name, new Map()]);

const usageEssentials: Essentials = new Map([
  ...scalars("input", "output", "cacheRead", "cacheWrite", "totalTokens", "cacheWrite1h", "reasoning"),
  ["cost", new Map(scalars("input", "output", "cacheRead", "cacheWrite", "total"))],
]);

const messageEssentials: Essentials = new Map([
  ...scalars("role", "timestamp", "provider", "model", "responseModel", "responseId", "thinkingLevel", "stopReason"),
  ...scalars("toolName", "toolCallId", "isError", "customType"),
  ["usage", usageEssentials],
]);

/** What links, dates and prices a header or an entry. */
const entryEssentials: Essentials = new Map([
  ...scalars("type", "id", "parentId", "timestamp", "version", "cwd", "parentSession", "branchedFrom"),
  ...scalars("provider", "modelId", "model", "thinkingLevel", "kind", "customType", "targetId", "label", "name"),
  ...scalars("fromId", "firstKeptEntryId", "firstKeptEntryIndex", "tokensBefore"),
  ["usage", usageEssentials],
  ["message", messageEssentials],
]);

/** An object or array that is not closed yet. */
interface OpenContainer {
  container: JsonObject | unknown[];
  essentials: Essentials | undefined;
  /** Of an object: the key of the value that comes next; undefined when it is too long to be kept. */
  key: string | undefined;
  keyBytes: number;
  /** UTF-8 bytes of what was left out of it; undefined as long as all is there. */
  dropped: number | undefined;
}

/**
 * A JSON value built from its tokens, which must come in a legal order, within a budget of memory. Once that is used up, new members and elements are
 * left out, but for the few scalars that an entry can't do without: its ids and links, model, and usage (some 50, each of the length that the caller
 * allows). A duplicate key replaces the earlier value, as in `JSON.parse`.
 */
export class BoundedValue {
  readonly #maxBytes: number;
  /** Holds the value itself as its member `""`. */
  readonly #root: JsonObject = {};
  readonly #open: OpenContainer[];
  #innermost: OpenContainer;
  /** How deep in a container that is left out we are. */
  #droppedDepth = 0;
  #bytes = 0;
  /** Of containers: the bytes left out of them. */
  readonly #dropped = new WeakMap<object, number>();
  /** Of containers: the whole length of the scalars cut in them, by key or index. */
  readonly #cut = new WeakMap<object, Map<string | number, number>>();
  #isTruncated = false;

  /** The budget counts roughly what the kept strings, keys and nodes need, in bytes. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#innermost = {
      container: this.#root,
      essentials: new Map([["", entryEssentials]]),
      key: "",
      keyBytes: 0,
      dropped: undefined,
    };
    this.#open = [this.#innermost];
  }

  /** Whether the value has come and is closed. */
  get isComplete(): boolean {
    return this.#open.length === 1 && this.#droppedDepth === 0 && Object.hasOwn(this.#root, "");
  }

  /** The value as far as it has come. */
  get value(): unknown {
    return this.#root[""];
  }

  /** Begins an object or array, which is kept or left out with all that is in it. */
  open(kind: "object" | "array"): void {
    if (!this.#accepts(kind)) {
      if (this.#droppedDepth++ === 0) this.#dropMember();
      return;
    }
    const { essentials, key } = this.#innermost;
    const container = kind === "object" ? {} : [];
    this.#add(container, CONTAINER_BYTES);
    this.#innermost = {
      container,
      essentials: key === undefined ? undefined : essentials?.get(key),
      key: undefined,
      keyBytes: 0,
      dropped: undefined,
    };
    this.#open.push(this.#innermost);
  }

  /** Ends the object or array that was begun last. */
  close(): void {
    if (this.#droppedDepth > 0) {
      this.#droppedDepth--;
      return;
    }
    const { container, dropped } = this.#open.pop()!;
    this.#innermost = this.#open.at(-1)!;
    if (dropped === undefined) return;
    this.#dropped.set(container, dropped);
    this.#isTruncated = true;
  }

  /** Whether the key that comes next is of use, and is to be given to `setKey`; else its bytes go to `drop`. */
  get wantsKey(): boolean {
    return this.#droppedDepth === 0;
  }

  /** The key of the value that comes next; undefined leaves that member out. */
  setKey(key: string | undefined, bytes: number): void {
    this.#innermost.key = key;
    this.#innermost.keyBytes = bytes;
  }

  /** Whether the scalar that comes next is kept, and is to be given to `addScalar`; else its bytes go to `drop`. */
  beginScalar(): boolean {
    if (this.#accepts("scalar")) return true;
    if (this.#droppedDepth === 0) this.#dropMember();
    return false;
  }

  /** `bytes` is the length of the scalar's text in UTF-8. For one that was cut, `cutFrom` is the length of the whole. */
  addScalar(value: string | number | boolean | null, bytes: number, cutFrom?: number): void {
    const { container, key } = this.#innermost;
    this.#add(typeof value === "string" ? copyString(value) : value, bytes);
    if (cutFrom === undefined) return;
    const cut = this.#cut.get(container) ?? new Map<string | number, number>();
    cut.set(Array.isArray(container) ? container.length - 1 : copyString(key!), cutFrom);
    this.#cut.set(container, cut);
    this.#isTruncated = true;
  }

  /** Counts the text of something that is left out. */
  drop(bytes: number): void {
    this.#innermost.dropped = (this.#innermost.dropped ?? 0) + bytes;
  }

  /**
   * What is not whole in the value: the strings (and absurd numbers) that were cut, with the length of the whole, and the objects and arrays from
   * which something was left out, with the length of the keys, strings, numbers and literals that are missing. Lengths are UTF-8 bytes. Containers
   * come before what is in them. At most 1,000 are named; one more, of the path `…`, then stands for all others together.
   */
  listTruncated(): TruncatedString[] {
    const list: TruncatedString[] = [];
    if (!this.#isTruncated) return list;
    const note = (path: string, bytes: number | undefined) => {
      if (bytes === undefined) return;
      if (list.length < MAX_TRUNCATED) list.push({ path, bytes });
      else if (list.length === MAX_TRUNCATED) list.push({ path: "…", bytes });
      else list[MAX_TRUNCATED]!.bytes += bytes;
    };
    const pending: { container: object; path: string }[] = [{ container: this.#root, path: "" }];
    for (let next = pending.pop(); next; next = pending.pop()) {
      const { container, path } = next;
      note(path, this.#dropped.get(container));
      const cut = this.#cut.get(container);
      const inner: typeof pending = [];
      for (const [key, value] of membersOf(container)) {
        const isContainer = typeof value === "object" && value !== null;
        if (!isContainer && !cut?.has(key)) continue;
        const itsPath = container === this.#root ? "" : extendPath(path, key);
        if (isContainer) inner.push({ container: value, path: itsPath });
        else note(itsPath, cut?.get(key));
      }
      while (inner.length > 0) pending.push(inner.pop()!);
    }
    return list;
  }

  #accepts(kind: "scalar" | "object" | "array"): boolean {
    if (this.#droppedDepth > 0 || this.#open.length > MAX_DEPTH) return false;
    const { container, essentials, key } = this.#innermost;
    if (key === undefined && !Array.isArray(container)) return false;
    if (this.#bytes <= this.#maxBytes) return true;
    const inner = key === undefined ? undefined : essentials?.get(key);
    return inner !== undefined && (kind === "scalar" || (kind === "object" && inner.size > 0));
  }

  #add(value: unknown, bytes: number): void {
    const { container, key, keyBytes } = this.#innermost;
    this.#bytes += VALUE_BYTES + bytes;
    if (Array.isArray(container)) {
      container.push(value);
      return;
    }
    this.#bytes += MEMBER_BYTES + keyBytes;
    this.#cut.get(container)?.delete(key!);
    if (key === "__proto__") {
      // A plain assignment would change the object's prototype.
      Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true });
    } else {
      container[key!] = value;
    }
  }

  /** Leaves the coming value out, and with it an earlier one of the same key: the later would have replaced it. */
  #dropMember(): void {
    const { container, key, keyBytes } = this.#innermost;
    this.drop(keyBytes);
    if (Array.isArray(container) || key === undefined || !Object.hasOwn(container, key)) return;
    delete container[key];
    this.#cut.get(container)?.delete(key);
  }
}

/** V8 may make a string as a view of the longer one that it was cut out of, which then stays in memory. A copy lets go of it. */
function copyString(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}

function membersOf(container: object): Iterable<[string | number, unknown]> {
  return Array.isArray(container) ? container.entries() : Object.entries(container);
}

/** As in `message.content[0].data`; a key that is no plain name is quoted, as in `details["a.b"]`. */
function extendPath(path: string, key: string | number): string {
  if (path.length >= MAX_PATH_LENGTH) return path;
  const isName = typeof key === "string" && /^[A-Za-z_$][\w$]*$/.test(key);
  const step = isName ? (path === "" ? key : `.${key}`) : `[${JSON.stringify(key)}]`;
  const extended = path + step;
  return extended.length < MAX_PATH_LENGTH ? extended : `${extended.slice(0, MAX_PATH_LENGTH)}…`;
}
