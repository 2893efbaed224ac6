/** Arbitrary stores of small session files that were forked, cloned, moved and lost: what lineages and copies of calls are about. */
import fc from "fast-check";
import { at, entry, header, jsonl, type Line, START, usage } from "./entries.js";
import { type PlainStoreFile, readPlainly } from "./plain-reader.js";

interface SketchedFile {
  path: string;
  header: Line;
  entries: Line[];
}

/** What happens to a store, one step after the other. Files are meant by any number, calls by how many stand in front. */
type Step =
  | { does: "begin"; entries: Line[]; identity: number; created: string | undefined }
  | {
      does: "fork";
      from: number;
      kept: number;
      redraws: "nothing" | "ids" | "ids and times";
      naming: Naming;
      entries: Line[];
      created: string | undefined;
    }
  | { does: "go on"; file: number; entries: Line[] }
  | { does: "clone"; file: number; folder: string }
  | { does: "move"; file: number; folder: string }
  | { does: "lose"; file: number }
  | { does: "link"; file: number; to: number; naming: Naming };

type Naming = keyof typeof namings;

/** How a header may name its parent. */
const namings = {
  path: ({ path }: SketchedFile) => path,
  "windows path": ({ path }: SketchedFile) => `C:${path.replaceAll("/", "\\")}`,
  "path of old": ({ path }: SketchedFile) => `/old${path}`,
  "name alone": ({ path }: SketchedFile) => path.slice(path.lastIndexOf("/") + 1),
  "id in a name": ({ header }: SketchedFile) => `/elsewhere/2020-01-01_${header.id}.jsonl`,
  id: ({ header }: SketchedFile) => header.id as string,
  nothing: () => undefined,
  "missing path": () => "/gone/a.jsonl",
  "no path": () => "",
};

const folders = ["/s/pond", "/s/lake", "/t/pond"];

/** A second, so that times often meet; some can't be read. */
const time = (): fc.Arbitrary<string | undefined> =>
  fc.oneof({ weight: 8, arbitrary: fc.nat(4).map(at) }, fc.constantFrom(undefined, "yesterday"));

/** Few ids and few numbers, so that both meet often, in one file and in unrelated ones. */
const callEntry = (): fc.Arbitrary<Line> =>
  fc
    .record({
      id: fc.oneof(
        { weight: 12, arbitrary: fc.nat(9).map((id) => `0000000${id}`) },
        fc.constantFrom(undefined, "", "long-id"),
      ),
      timestamp: time(),
      messageTime: fc.option(
        fc.nat(3).map((second) => START + second * 1000),
        { nil: undefined },
      ),
      // Parts of two, so that sums are exact in any order.
      numbers: fc.constantFrom(usage(1, 1, 0.5), usage(1, 1, 0.5), usage(2, 1, 0.25), { input: 4, output: -0 }, {}),
      place: fc.constantFrom("assistant", "assistant", "assistant", "toolResult", "compaction", "usage"),
      model: fc.constantFrom("m", "n"),
      responseId: fc.option(fc.constantFrom("r1", "r2"), { nil: undefined, freq: 3 }),
    })
    .map(({ id, timestamp, messageTime, numbers, place, model, responseId }) => {
      const names = { provider: "p", model };
      const base = { id, timestamp };
      if (place === "compaction") return entry(place, "", null, { ...base, usage: numbers });
      if (place === "usage") return entry(place, "", null, { ...base, ...names, usage: numbers });
      const message = { role: place, ...names, responseId, usage: numbers, timestamp: messageTime };
      return entry("message", "", null, { ...base, message });
    });

const entries = (): fc.Arbitrary<Line[]> => fc.array(callEntry(), { maxLength: 4 });
const naming = () => fc.constantFrom(...(Object.keys(namings) as Naming[]));
const number = () => fc.nat(11);
const folder = () => fc.constantFrom(...folders);

const step = (): fc.Arbitrary<Step> =>
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        does: fc.constant("begin" as const),
        entries: entries(),
        identity: fc.nat(30),
        created: time(),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        does: fc.constant("fork" as const),
        from: number(),
        kept: number(),
        redraws: fc.constantFrom("nothing" as const, "nothing" as const, "ids" as const, "ids and times" as const),
        naming: naming(),
        entries: entries(),
        created: time(),
      }),
    },
    { weight: 1, arbitrary: fc.record({ does: fc.constant("go on" as const), file: number(), entries: entries() }) },
    { weight: 1, arbitrary: fc.record({ does: fc.constant("clone" as const), file: number(), folder: folder() }) },
    { weight: 1, arbitrary: fc.record({ does: fc.constant("move" as const), file: number(), folder: folder() }) },
    { weight: 1, arbitrary: fc.record({ does: fc.constant("lose" as const), file: number() }) },
    {
      weight: 2,
      arbitrary: fc.record({ does: fc.constant("link" as const), file: number(), to: number(), naming: naming() }),
    },
  );

/** The store after some steps. */
function takeSteps(steps: Step[]): SketchedFile[] {
  const files: SketchedFile[] = [];
  let drawn = 0;
  const drawId = () => `f${String((drawn += 1)).padStart(7, "0")}`;
  const create = (id: string, created: string | undefined, parentSession: string | undefined, entries: Line[]) => {
    const path = `${folders[files.length % 2]}/2026_${id}.jsonl`;
    if (files.some((file) => file.path === path)) return;
    files.push({ path, header: header({ id, timestamp: created, parentSession }), entries });
  };
  const place = (file: SketchedFile, folder: string) => `${folder}/${file.path.split("/").at(-1)}`;

  for (const step of steps) {
    const pick = (number: number): SketchedFile | undefined => files[number % files.length];
    switch (step.does) {
      case "begin":
        create(`s-${step.identity}`, step.created, undefined, step.entries);
        break;
      case "fork": {
        const parent = pick(step.from);
        if (parent === undefined) break;
        const copies = parent.entries.slice(0, step.kept).map((line) => ({
          ...line,
          ...(step.redraws === "nothing" ? {} : { id: drawId() }),
          ...(step.redraws === "ids and times" ? { timestamp: at(100 + drawn) } : {}),
        }));
        create(`f-${drawId()}`, step.created, namings[step.naming](parent), [...copies, ...step.entries]);
        break;
      }
      case "go on":
        pick(step.file)?.entries.push(...step.entries);
        break;
      case "clone":
      case "move": {
        const file = pick(step.file);
        if (file === undefined) break;
        const path = place(file, step.folder);
        if (files.some((other) => other.path === path)) break;
        if (step.does === "move") file.path = path;
        else files.push({ ...file, path, entries: [...file.entries] });
        break;
      }
      case "lose":
        if (files.length > 1) files.splice(step.file % files.length, 1);
        break;
      case "link": {
        const [file, to] = [pick(step.file), pick(step.to)];
        if (file !== undefined && to !== undefined)
          file.header = { ...file.header, parentSession: namings[step.naming](to) };
      }
    }
  }
  return files;
}

/** Each entry is the child of the one before it. */
const chain = (entries: Line[]): Line[] =>
  entries.map((line, place) => ({ ...line, parentId: entries[place - 1]?.id ?? null }));

/** A store of a few files, in the order of their paths. */
export function forkedStore(): fc.Arbitrary<PlainStoreFile[]> {
  return fc.array(step(), { minLength: 4, maxLength: 14 }).map((steps) =>
    takeSteps(steps)
      .map(({ path, header, entries }) => ({ path, file: readPlainly(jsonl(header, ...chain(entries))) }))
      .sort((one, other) => (one.path < other.path ? -1 : 1)),
  );
}
