import { Random } from "./random.js";

/**
 * Text that is already escaped for JSON, to cut pieces from: making each piece anew would cost more than writing it. Pieces begin and end at line (or sentence)
 * starts, so an escape is never cut in two.
 */
export class TextPool {
  private readonly text: string;
  /** Where pieces may begin and end. */
  private readonly starts: number[] = [];

  constructor(lines: readonly string[]) {
    this.text = lines.join("");
    let offset = 0;
    for (const line of lines) {
      this.starts.push(offset);
      offset += line.length;
    }
    this.starts.push(offset);
  }

  /** About `length` characters from a random place; at most half the pool. */
  piece(random: Random, length: number): string {
    const last = this.starts.length - 1;
    const from = random.between(0, last >> 1);
    const start = this.starts[from]!;
    const target = start + length;
    let low = from + 1;
    let high = last;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.starts[middle]! < target) low = middle + 1;
      else high = middle;
    }
    return this.text.slice(start, this.starts[low]);
  }
}

const WORDS =
  "the tide table reader splits each chart by harbour and keeps a small index of what was seen so that later runs can skip it when nothing moved while older notes stay as they are until someone asks for them again".split(
    " ",
  );
const NAMES = "chart harbour tide buoy anchor ledger beacon channel mooring signal lock quay draft berth".split(" ");
const OUTSIDE_ASCII = ["café", "naïve", "größer", "Ελλάδα", "漢字かな", "🚢", "━━━━", "✓", "→", "…"];

/** The pools that one corpus draws from. */
export interface TextPools {
  /** Code, logs, diffs, JSON dumps and terminal output: what tools print. Lines end in an escaped newline. */
  code: TextPool;
  /** Sentences: what people and models write. */
  prose: TextPool;
  /** Base64 without padding. */
  base64: TextPool;
}

export function makeTextPools(seed: number): TextPools {
  const random = new Random(seed);
  const code: string[] = [];
  for (let number = 0; number < 20_000; number++) code.push(`${escapeText(makeCodeLine(random, number))}\\n`);
  const prose: string[] = [];
  for (let number = 0; number < 8_000; number++) prose.push(`${escapeText(makeSentence(random))} `);
  const image = new Uint32Array(384_000);
  for (let index = 0; index < image.length; index++) image[index] = random.bits();
  const base64 = Buffer.from(image.buffer).toString("base64").match(/.{64}/g)!;
  return { code: new TextPool(code), prose: new TextPool(prose), base64: new TextPool(base64) };
}

function escapeText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function makeSentence(random: Random): string {
  const words: string[] = [];
  for (let count = random.between(5, 18); count > 0; count--) words.push(random.pick(WORDS));
  if (random.chance(0.1)) words.push(random.pick(OUTSIDE_ASCII));
  if (random.chance(0.1)) words.push(`\`${random.pick(NAMES)}.ts\``);
  if (random.chance(0.1)) words.push(`"${random.pick(NAMES)}"`);
  const sentence = words.join(" ");
  return `${sentence[0]!.toUpperCase()}${sentence.slice(1)}${random.pick([".", ".", ".", "?", ":\n\n-"])}`;
}

function makeCodeLine(random: Random, number: number): string {
  const name = random.pick(NAMES);
  const other = random.pick(NAMES);
  switch (random.between(0, 15)) {
    case 0:
      return "";
    case 1:
      return `import { ${name}, ${other} } from "./${name}-${other}.js";`;
    case 2:
      return `\tconst ${name} = await read${other}("${name}", { depth: ${random.between(0, 99)} });`;
    case 3:
      return `    if (!${name}.has('${other}')) throw new Error(\`No ${other} in "\${${name}.path}"\`);`;
    case 4:
      return `2026-02-${10 + (number % 18)}T0${number % 10}:14:${10 + (number % 50)}.${100 + (number % 900)}Z INFO ${name}: ${other} took ${random.between(1, 900)} ms`;
    case 5:
      return `\u001b[32m✓\u001b[39m ${name} keeps ${other} \u001b[2m(${random.between(1, 99)} ms)\u001b[22m`;
    case 6:
      return `+  ${name}: "${other}",`;
    case 7:
      return `-  ${name}: "${other}-${number}",`;
    case 8:
      return `{"${name}":{"${other}":${number},"path":"C:\\\\${name}\\\\${other}.txt"},"ok":true}`;
    case 9:
      return `src/${name}/${other}.ts:${number % 700}:  return ${name}.${other}(index, ${random.between(0, 9)});`;
    case 10:
      return `  // ${makeSentence(random)}`;
    case 11:
      return `\t\t}\r`;
    case 12:
      return `-rw-r--r--  1 u  staff  ${String(random.between(1, 99_999)).padStart(7)} Feb ${10 + (number % 18)} 09:${10 + (number % 50)} ${name}-${other}.log`;
    case 13:
      return `| ${name} | ${other} | ${random.between(0, 999)} | ${random.pick(OUTSIDE_ASCII)} |`;
    case 14:
      // What reading a session file back looks like: usage and cost inside a string must not be taken for usage.
      return random.chance(0.1)
        ? `{"type":"message","id":"${random.hex(8)}","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"assistant","usage":{"input":7,"output":7,"cacheRead":0,"cacheWrite":0,"totalTokens":14,"cost":{"total":9.75}}}}`
        : `  "usage": {"input": ${number}, "cost": {"total": 1.5}},`;
    default:
      return `  at ${name}.${other} (file:///home/u/${name}/dist/${other}.js:${number % 400}:${random.between(1, 60)})`;
  }
}
