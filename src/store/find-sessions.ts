import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { headerCwd, type SessionHeader } from "../format/header.js";
import { findHeaderSync } from "./read-header-sync.js";
import { isSamePath, resolvePath } from "./session-paths.js";

/** Whether the working directory that a session's header names is `cwd` (absolute). */
export function isOfCwd(headerCwd: string | null, cwd: string): boolean {
  return headerCwd !== null && headerCwd !== "" && isSamePath(resolvePath(headerCwd), cwd);
}

/** The session file of a folder that was changed last; with `cwd` (absolute), of those of that working directory. Reads headers only. */
export function findRecentSession(folder: string, cwd: string | undefined): string | undefined {
  const files = sessionFilesIn(folder).flatMap((path) => {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats ? [{ path, mtimeMs: stats.mtimeMs }] : [];
  });
  files.sort((a, b) => b.mtimeMs - a.mtimeMs);
  return files.find(({ path }) => isWanted(findHeaderSync(path), cwd))?.path;
}

/** The session file of a folder whose header has an id; with `cwd` (absolute), among those of that working directory. Reads headers only. */
export function findSessionById(folder: string, id: string, cwd: string | undefined): string | undefined {
  return sessionFilesIn(folder).find((path) => {
    const header = findHeaderSync(path);
    return header?.id === id && isWanted(header, cwd);
  });
}

function isWanted(header: SessionHeader | undefined, cwd: string | undefined): boolean {
  return header !== undefined && (cwd === undefined || isOfCwd(headerCwd(header), cwd));
}

/** Paths of the `.jsonl` files right in a folder; none when it can't be read, as when it does not exist yet. */
function sessionFilesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => join(folder, name));
  } catch {
    return []; // A search is no promise: a folder that can't be looked into has nothing to offer.
  }
}
