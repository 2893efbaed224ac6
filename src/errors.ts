/** Where in a file a failure was found. */
export interface FileSpot {
  path?: string;
  /** 1-based. */
  line?: number;
  byteOffset?: number;
  cause?: unknown;
}

/** A file that is no session, or a session that can't be read as one. */
export class SessionFormatError extends Error {
  override readonly name = "SessionFormatError";
  readonly code: "NOT_A_SESSION" | "ENTRY_NOT_FOUND";
  readonly path: string | undefined;
  readonly line: number | undefined;
  readonly byteOffset: number | undefined;

  constructor(code: SessionFormatError["code"], message: string, spot: FileSpot = {}) {
    super(message, spot.cause === undefined ? undefined : { cause: spot.cause });
    this.code = code;
    this.path = spot.path;
    this.line = spot.line;
    this.byteOffset = spot.byteOffset;
  }
}
