const LEAST_LENGTH = 8;

/** The ids, each by the shortest beginning of 8 characters or more that no other of them shares. */
export function shortenIds(ids: Iterable<string>): Map<string, string> {
  const sorted = [...new Set(ids)].sort();
  const short = new Map<string, string>();
  for (const [index, id] of sorted.entries()) {
    const shared = Math.max(sharedLength(id, sorted[index - 1]), sharedLength(id, sorted[index + 1]));
    short.set(id, id.slice(0, Math.max(LEAST_LENGTH, shared + 1)));
  }
  return short;
}

function sharedLength(id: string, neighbour = ""): number {
  let length = 0;
  while (length < id.length && id[length] === neighbour[length]) length++;
  return length;
}
