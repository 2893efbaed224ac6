import { emptyUsage, type Usage } from "./usage.js";

/**
 * An entry that is written as pi writes nearly all, and of which only little matters: its place in the tree and, where calls are wanted, what a message says
 * of its call, or a model change of the model. It is filled anew for each such entry, so that none makes an object.
 */
export class BareEntry {
  type = "";
  /** The role of its message, if it has one; where calls are wanted only that of a user, an assistant or a tool's result may be told. */
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
  /** Of a message that is a call: lent, as the entry is. */
  usage: Usage | undefined;
  /** With usage the model that answered, of a model change the new one. */
  provider: string | null = null;
  model: string | null = null;
  /** With usage: the provider's name for its answer. */
  responseId: string | undefined;
  /** With usage of a tool's result: the tool. */
  tool: string | null = null;

  /** What `usage` refers to. */
  readonly ownUsage: Usage = emptyUsage();
}
