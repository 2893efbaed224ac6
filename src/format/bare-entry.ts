import { emptyUsage, type Usage } from "./usage.js";

/**
 * An entry that is written as pi writes nearly all, and of which only little matters: its place in the tree and, where calls are wanted, what an assistant's
 * message says of its call. It is filled anew for each such entry, so that none makes an object.
 */
export class BareEntry {
  type = "";
  /** The role of its message, if it has one. */
  role: string | undefined;
  /** The 32 bits of its id, which is 8 hex digits. */
  idBits = 0;
  hasParent = false;
  parentIdBits = 0;
  /** Unix milliseconds. */
  time = 0;

  // Known where calls are wanted.

  /** The message's own time in Unix milliseconds, of a user or an assistant; NaN without one. */
  messageTime = Number.NaN;
  /** Of an assistant's message; undefined of any other. Lent, as the entry is. */
  usage: Usage | undefined;
  /** With usage: the model that answered. */
  provider: string | null = null;
  model: string | null = null;
  /** With usage: the provider's name for its answer. */
  responseId: string | undefined;

  /** What `usage` refers to. */
  readonly ownUsage: Usage = emptyUsage();
}
