import type { BareEntry } from "../format/bare-entry.js";
import type { SessionEntry } from "../format/entry.js";
import { CURRENT_SESSION_VERSION, headerVersion, type SessionHeader } from "../format/header.js";
import type { PlainTally } from "../read/plain-tally.js";
import { V1ToV2 } from "./v1-to-v2.js";
import { migrateV2ToV3 } from "./v2-to-v3.js";

/**
 * Makes the entries of one file what version 3 would have written, one by one, in file order. A version 1 file gets the same ids at every read.
 * Memory: nothing above version 1; there, only ids (see `V1ToV2`).
 */
export class Migration {
  /** The version that the header declares. From 3 on nothing is changed. */
  readonly fromVersion: number;
  readonly #v1ToV2: V1ToV2 | undefined;

  constructor(header: SessionHeader) {
    this.fromVersion = headerVersion(header);
    this.#v1ToV2 = this.fromVersion < 2 ? new V1ToV2(header.id) : undefined;
  }

  /** Whether `linkBare` may be used for the next entry: in a version 1 file whose lines have brought no ids so far. */
  get canLinkBare(): boolean {
    return this.#v1ToV2?.canLinkBare ?? false;
  }

  /** As `migrate`, of a bare entry without id and parent. */
  linkBare(entry: BareEntry, ordinal: number): void {
    this.#v1ToV2!.linkBare(entry, ordinal);
  }

  /** Where entries lack ids: lets a tally give them theirs, from the next ordinal on. */
  prepareRun(tally: PlainTally, ordinal: number): void {
    this.#v1ToV2?.prepareRun(tally, ordinal);
  }

  /** Takes entries that a tally has linked, the first of which has this ordinal. */
  linkRun(count: number, ordinal: number): void {
    this.#v1ToV2?.linkRun(count, ordinal);
  }

  /**
   * The entry as version 3: the object that came in, perhaps changed, or a new one; it belongs to the caller.
   * `ordinal` counts the parsed objects before it from the header as 0, those that are no entries too. It must rise from call to call.
   */
  migrate(entry: SessionEntry, ordinal: number): SessionEntry {
    if (this.fromVersion >= CURRENT_SESSION_VERSION) return entry;
    const linked = this.#v1ToV2?.migrate(entry, ordinal) ?? entry;
    migrateV2ToV3(linked);
    return linked;
  }
}
