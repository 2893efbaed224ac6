/** Where sessions lie: the paths that callers give, the folder of a project, the names of new files. */
import { homedir } from "node:os";
import { isAbsolute, join, posix, resolve, win32 } from "node:path";
import { fileURLToPath } from "node:url";
import { defaultSessionsRoot } from "../scan/default-store.js";

/** A drive as Git Bash, Cygwin and WSL write it: `/c/x`, `/cygdrive/c/x`, `/mnt/c/x`. */
const SHELL_DRIVE = /^\/(?:mnt\/|cygdrive\/)?([A-Za-z])(?:\/([^\\]*))?$/;

/** The path that a caller means: `~` is the home folder, `file://` URLs are paths, and on Windows so are the drives of Unix-like shells. */
export function expandPath(path: string, platform: NodeJS.Platform = process.platform): string {
  const drive = platform === "win32" ? SHELL_DRIVE.exec(path) : null;
  if (drive) return `${drive[1]!.toUpperCase()}:\\${(drive[2] ?? "").replaceAll("/", "\\")}`;
  if (path === "~") return homedir();
  if (path.startsWith("~/") || (platform === "win32" && path.startsWith("~\\"))) return join(homedir(), path.slice(2));
  return path.startsWith("file://") ? fileURLToPath(path) : path;
}

/** The absolute path that a caller means, from the process's working directory. */
export function resolvePath(path: string): string {
  const expanded = expandPath(path);
  return isAbsolute(expanded) ? resolve(expanded) : resolve(process.cwd(), expanded);
}

/** Whether two paths name one place, links aside; on Windows, case does not matter. */
export function isSamePath(a: string, b: string, platform: NodeJS.Platform = process.platform): boolean {
  if (platform !== "win32") return posix.resolve(a) === posix.resolve(b);
  return win32.resolve(a).toLowerCase() === win32.resolve(b).toLowerCase();
}

/** The name of a project's folder, from its absolute working directory, of whatever system. It can't be reversed. */
export function projectFolderName(cwd: string): string {
  return `--${cwd.replace(/^[/\\]/, "").replace(/[/\\:]/g, "-")}--`;
}

/** The folder of a project's sessions where none is given; `agentDir` stands for `~/.pi/agent`. It may not exist yet. */
export function defaultSessionDir(cwd: string, agentDir?: string): string {
  const root = agentDir === undefined ? defaultSessionsRoot() : join(agentDir, "sessions");
  return join(resolvePath(root), projectFolderName(resolvePath(cwd)));
}

/** The name of a session's file, from the time of its header (ISO 8601) and its id. */
export function sessionFileName(timestamp: string, id: string): string {
  return `${timestamp.replace(/[:.]/g, "-")}_${id}.jsonl`;
}
