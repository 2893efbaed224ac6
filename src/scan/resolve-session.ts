import { stat } from "node:fs/promises";
import { resolve, sep } from "node:path";
import { StoreError } from "../errors.js";
import type { Session } from "../report/session-summary.js";
import { byNewest, listAll } from "./list-sessions.js";
import { scanFiles } from "./scan-files.js";
import { callFilters, type StoreOptions } from "./store-options.js";

/**
 * The path of the session that an argument means: a path, an exact id, a unique prefix of one, or `latest` (the newest `modified` that the filters
 * let through; ties by path).
 *
 * @throws StoreError when nothing fits, or several files do (`candidates` names them).
 */
export async function resolveSession(argument: string, options: StoreOptions = {}): Promise<string> {
  const isFile = await stat(argument).then(
    (stats) => stats.isFile(),
    () => false,
  );
  if (isFile) return resolve(argument);
  if (argument.includes(sep) || argument.endsWith(".jsonl")) {
    throw new StoreError("NO_SUCH_SESSION", `Cannot find the session "${argument}": there is no such file`, argument);
  }
  if (argument === "") throw new StoreError("NO_SUCH_SESSION", "Cannot find a session: no id is given", argument);
  return argument === "latest" ? findLatest(options) : findById(argument, options);
}

async function findLatest(options: StoreOptions): Promise<string> {
  let latest: Session | undefined;
  for await (const session of listAll(options)) {
    if (!latest || byNewest(session, latest) < 0) latest = session;
  }
  if (!latest) throw new StoreError("NO_SUCH_SESSION", "Cannot find the latest session: there is none", "latest");
  return latest.path;
}

async function findById(argument: string, options: StoreOptions): Promise<string> {
  const exact: string[] = [];
  const byPrefix: string[] = [];
  for await (const { result } of scanFiles({ ...options, name: "headers", task: callFilters(options) })) {
    for (const { path, id } of result) {
      if (id === argument) exact.push(path);
      else if (id.startsWith(argument)) byPrefix.push(path);
    }
  }
  const candidates = (exact.length > 0 ? exact : byPrefix).sort();
  const [only] = candidates;
  if (only === undefined) {
    throw new StoreError("NO_SUCH_SESSION", `Cannot find the session "${argument}": no id begins with it`, argument);
  }
  if (candidates.length > 1) {
    const message = `Cannot tell which session "${argument}" means: ${candidates.length} files fit`;
    throw new StoreError("AMBIGUOUS_SESSION", message, argument, undefined, candidates);
  }
  return only;
}
