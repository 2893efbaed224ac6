/** Bytes of a file that are no whole entry. */
export type DamageCode =
  /** The line is no JSON; whole entries on it were recovered. */
  | "broken-line"
  /** The last line is no JSON and has no newline: half written, perhaps still being written. */
  | "torn-tail"
  /** The line is nothing but NUL bytes. */
  | "nul-bytes"
  /** The line is JSON, but not an object with a string `type`. */
  | "not-an-entry";

/** Entries that break a rule of the format, while every byte can be read. */
export type OddityCode =
  | "no-final-newline"
  | "record-before-header"
  | "second-header"
  | "future-version"
  | "invalid-version"
  | "invalid-utf8"
  | "missing-id"
  | "duplicate-id"
  | "missing-parent"
  | "self-parent"
  | "parent-cycle"
  | "missing-label-target"
  | "missing-first-kept"
  | "missing-edit-target"
  | "invalid-timestamp"
  | "invalid-message-time"
  | "broken-usage";

/** Something wrong at one place of a file. */
export type Problem = {
  /** The physical line, 1-based. */
  line: number;
  byteOffset: number;
  message: string;
} & ({ severity: "damage"; code: DamageCode } | { severity: "oddity"; code: OddityCode });
