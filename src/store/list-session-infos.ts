import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import pLimit from "p-limit";
import { readSessionInfo, type SessionInfo } from "./session-info.js";

/** Told of each file that was read or passed over; now and then also of the sessions known so far, newest first. */
export type SessionListProgress = (loaded: number, total: number, partialSessions?: readonly SessionInfo[]) => void;

const FILES_AT_ONCE = 10;

/** How many files go by between two partial lists. */
const FOLDER_PARTIAL_EVERY = 10;
const STORE_PARTIAL_EVERY = 100;

/** The sessions right in a folder, newest first. A folder that does not exist has none. Files that are no sessions or can't be read are passed over. */
export async function listFolder(
  folder: string,
  onProgress?: SessionListProgress,
  signal?: AbortSignal,
): Promise<SessionInfo[]> {
  signal?.throwIfAborted();
  const paths = (await sessionFilesIn(folder)).sort((a, b) => (a < b ? 1 : -1));
  return await readInfos(paths, signal, (loaded, known) => {
    const isPartial = loaded === 1 || loaded % FOLDER_PARTIAL_EVERY === 0 || loaded === paths.length;
    onProgress?.(loaded, paths.length, isPartial ? known() : undefined);
  });
}

/** The sessions of all projects below a root, newest first; the files changed last are read first, and partial lists come once the very last is known. */
export async function listProjects(
  root: string,
  onProgress?: SessionListProgress,
  signal?: AbortSignal,
): Promise<SessionInfo[]> {
  signal?.throwIfAborted();
  const folders = await readdir(root, { withFileTypes: true }).catch(() => []);
  const limit = pLimit(FILES_AT_ONCE);
  const found = await Promise.all(
    folders
      .filter((folder) => folder.isDirectory() || folder.isSymbolicLink())
      .map((folder) => limit(() => sessionFilesIn(join(root, folder.name)))),
  );
  const files = await Promise.all(
    found.flat().map((path) => limit(async () => ({ path, time: await changeTime(path) }))),
  );
  files.sort((a, b) => b.time - a.time || (basename(a.path) < basename(b.path) ? 1 : -1));
  let isNewestKnown = false;
  return await readInfos(
    files.map(({ path }) => path),
    signal,
    (loaded, known, place) => {
      isNewestKnown ||= place === 0;
      const isDue = place === 0 || loaded % STORE_PARTIAL_EVERY === 0 || loaded === files.length;
      onProgress?.(loaded, files.length, isNewestKnown && isDue ? known() : undefined);
    },
  );
}

async function readInfos(
  paths: readonly string[],
  signal: AbortSignal | undefined,
  onLoaded: (loaded: number, known: () => SessionInfo[], place: number) => void,
): Promise<SessionInfo[]> {
  const infos: SessionInfo[] = [];
  const known = (): SessionInfo[] => infos.toSorted((a, b) => b.modified.getTime() - a.modified.getTime());
  let loaded = 0;
  const limit = pLimit(FILES_AT_ONCE);
  const readOne = async (path: string, place: number): Promise<void> => {
    signal?.throwIfAborted();
    const info = await readSessionInfo(path, signal).catch(() => undefined);
    signal?.throwIfAborted();
    if (info) infos.push(info);
    onLoaded(++loaded, known, place);
  };
  await Promise.all(paths.map((path, place) => limit(() => readOne(path, place))));
  return known();
}

async function sessionFilesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.endsWith(".jsonl")).map((name) => join(folder, name));
}

/** Unix milliseconds; before all others for a file that can't be asked. */
async function changeTime(path: string): Promise<number> {
  const stats = await stat(path).catch(() => undefined);
  return stats?.mtimeMs ?? Number.NEGATIVE_INFINITY;
}
