import { closeSync, openSync } from "node:fs";
import type { SessionFile } from "./find-session-files.js";

/** A file that is open for a scan. */
export interface OpenSession extends SessionFile {
  fd: number;
  /** What the file is read into; shared by all files that one thread reads. */
  buffer: Buffer;
  /** To be told of bytes that were read, for progress. */
  onBytes: (bytes: number) => void;
  /** Takes what is too large to wait for the result of a batch, for tasks that have such. */
  onPart?: (part: unknown) => void;
}

/** Opens a file for as long as `use` takes. */
export function withOpenSession<T>(
  file: SessionFile,
  shared: Pick<OpenSession, "buffer" | "onBytes" | "onPart">,
  use: (session: OpenSession) => T,
): T {
  const fd = openSync(file.path, "r");
  try {
    return use({ ...file, ...shared, fd });
  } finally {
    closeSync(fd);
  }
}
