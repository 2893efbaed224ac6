import { readdirSync } from "node:fs";
import { join } from "node:path";

/** The `.jsonl` files below a folder. */
export function findSessions(store) {
  const paths = readdirSync(store, { recursive: true });
  return paths.filter((path) => path.endsWith(".jsonl")).map((path) => join(store, path));
}
