/**
 * JSON in another spelling: keys in another order, a key twice, escapes, white space, numbers written otherwise. What it says is the same. Strings and
 * objects are those that `JSON.parse` can give; `Infinity` is written as 1e999.
 * `random` gives numbers from 0 up to 1, and `strength`, from 0 to 1, says how often the spelling is unusual.
 */
export function spellJson(value: unknown, random: () => number, strength: number): string {
  const isUnusual = () => random() < strength;
  const gap = () => (isUnusual() ? pick([" ", "\t", "  ", "\r"], random) : "");

  const spell = (value: unknown): string => {
    if (typeof value === "string") return spellString(value);
    if (typeof value === "number") return spellNumber(value);
    if (Array.isArray(value)) return `[${gap()}${value.map(spell).join(`${gap()},${gap()}`)}${gap()}]`;
    if (typeof value === "object" && value !== null)
      return `{${gap()}${spellKeys(value).join(`${gap()},${gap()}`)}${gap()}}`;
    return JSON.stringify(value) ?? "null";
  };
  const spellKeys = (object: object): string[] => {
    const keys = Object.entries(object).filter(([, inner]) => inner !== undefined);
    if (isUnusual()) keys.sort(() => random() - 0.5);
    // The later of two keys counts, so the decoy goes first.
    const decoy = isUnusual()
      ? keys.slice(0, 1).map(([key]): [string, unknown] => [key, pick([0, "decoy", null], random)])
      : [];
    return [...decoy, ...keys].map(([key, inner]) => `${spellString(key)}${gap()}:${gap()}${spell(inner)}`);
  };
  const spellString = (text: string): string => {
    if (!isUnusual()) return JSON.stringify(text);
    const units = Array.from(text, (character) => {
      if (random() < 0.7) return JSON.stringify(character).slice(1, -1);
      if (character === "/") return "\\/";
      return [...Array(character.length).keys()].map((at) => escapeUnit(character.charCodeAt(at))).join("");
    });
    return `"${units.join("")}"`;
  };
  const spellNumber = (number: number): string => {
    if (!Number.isFinite(number)) return number > 0 ? "1e999" : "-1e999";
    if (!isUnusual() || !Number.isSafeInteger(number)) return JSON.stringify(number);
    return pick([`${number}.0`, `${number}e0`, `${number}E+0`], random);
  };
  return spell(value);
}

const escapeUnit = (unit: number): string => `\\u${unit.toString(16).padStart(4, "0")}`;

function pick<Item>(items: readonly Item[], random: () => number): Item {
  return items[Math.floor(random() * items.length)]!;
}

/** Numbers from 0 up to 1, the same for the same seed. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
