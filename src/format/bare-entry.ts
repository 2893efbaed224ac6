/** An entry that is written as pi writes nearly all, and of which only its place in the tree matters: no string is made of it. */
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
}
