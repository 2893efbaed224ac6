/** Where in a file a failure was found. */
export interface FileSpot {
  /** What was found there, without the rest of the message. */
  reason?: string;
  path?: string;
  /** 1-based. */
  line?: number;
  byteOffset?: number;
  cause?: unknown;
}

/** A file that is no session, or a session that can't be read as one. */
export class SessionFormatError extends Error {
  override readonly name = "SessionFormatError";
  /** `CHANGED_WHILE_READING`: the file no longer holds the bytes that were indexed. */
  readonly code: "NOT_A_SESSION" | "ENTRY_NOT_FOUND" | "CHANGED_WHILE_READING";
  readonly reason: string;
  readonly path: string | undefined;
  readonly line: number | undefined;
  readonly byteOffset: number | undefined;

  constructor(code: SessionFormatError["code"], message: string, spot: FileSpot = {}) {
    super(message, spot.cause === undefined ? undefined : { cause: spot.cause });
    this.code = code;
    this.reason = spot.reason ?? message;
    this.path = spot.path;
    this.line = spot.line;
    this.byteOffset = spot.byteOffset;
  }
}

/** A store or a session that was asked for and is not there, or is not the only one. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: "NO_SUCH_STORE" | "NO_SUCH_SESSION" | "AMBIGUOUS_SESSION";
  /** The store or session, as it was asked for. */
  readonly asked: string;
  /** For `AMBIGUOUS_SESSION`: the paths of all sessions that fit. */
  readonly candidates: readonly string[];

  constructor(
    code: StoreError["code"],
    message: string,
    asked: string,
    cause?: unknown,
    candidates: readonly string[] = [],
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.asked = asked;
    this.candidates = candidates;
  }
}

/** An export that could not be written. */
export class ExportError extends Error {
  override readonly name = "ExportError";
  /** `FOREIGN_TARGET`: something else lies there. `MISSING_PACKAGE`: the format needs a package that is not installed. */
  readonly code: "FOREIGN_TARGET" | "WRITE_FAILED" | "MISSING_PACKAGE";

  constructor(code: ExportError["code"], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
