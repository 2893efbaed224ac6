import { closeSync, fsyncSync, openSync } from "node:fs";

/** Waits until the names in a folder are on the disk. Windows knows no such thing, and needs none. */
export function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const fd = openSync(folder, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
