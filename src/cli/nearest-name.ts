/**
 * The candidate that `word` was most likely meant to be: one that `word` is the beginning of, else the one that takes the fewest
 * changed, missing, added or swapped characters. Case and leading dashes don't count; of equals the first wins.
 * Undefined only without candidates.
 */
export function nearestName(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = bareName(word);
  let nearest: string | undefined;
  let nearestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const bare = bareName(candidate);
    const distance = wanted !== "" && bare.startsWith(wanted) ? 0 : editDistance(wanted, bare);
    if (distance < nearestDistance) {
      nearest = candidate;
      nearestDistance = distance;
    }
  }
  return nearest;
}

function bareName(name: string): string {
  return name.replace(/^-+/, "").toLowerCase();
}

/** Optimal string alignment: edits of one character, and swaps of two neighbours. */
function editDistance(left: string, right: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const current = [i];
    for (let j = 1; j <= right.length; j++) {
      const change = previous[j - 1]! + (left[i - 1] === right[j - 1] ? 0 : 1);
      let distance = Math.min(change, previous[j]! + 1, current[j - 1]! + 1);
      if (i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1]) {
        distance = Math.min(distance, beforePrevious[j - 2]! + 1);
      }
      current.push(distance);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[right.length]!;
}
