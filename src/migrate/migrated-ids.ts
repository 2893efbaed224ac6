import { createHash } from "node:crypto";

/**
 * The ids that entries of a version 1 file are given. Every number from 0 to 2^32-1 has an id of its own, 8 hex digits, in an order that the session id
 * alone decides: the same at every read, other in every session. The mapping is a Feistel network, which can be run backwards whatever its rounds mix,
 * so no two numbers can meet in one id.
 */
export class MigratedIds {
  readonly roundKeys: readonly number[];

  constructor(sessionId: string) {
    const hash = createHash("sha256").update(sessionId).digest();
    this.roundKeys = [0, 4, 8, 12].map((offset) => hash.readUInt32LE(offset));
  }

  at(number: number): string {
    return this.bitsAt(number).toString(16).padStart(8, "0");
  }

  /** The 32 bits of an id. */
  bitsAt(number: number): number {
    let left = number >>> 16;
    let right = number & 0xffff;
    for (const key of this.roundKeys) {
      const mixed = (left ^ mixBits(right ^ key)) & 0xffff;
      left = right;
      right = mixed;
    }
    return ((left << 16) | right) >>> 0;
  }
}

/** The finalizer of MurmurHash3: each bit that comes in changes about half of those that go out. */
function mixBits(bits: number): number {
  let mixed = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
