/** The bytes in chunks of `size`, the last one perhaps shorter. */
export function* chunksOf(bytes: Buffer, size: number): Generator<Buffer, void, void> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** As `chunksOf`, but every chunk lies in one buffer that is overwritten by the next, as when files are read into a reused one. */
export function* lentChunksOf(bytes: Buffer, size: number): Generator<Buffer, void, void> {
  const lent = Buffer.alloc(size);
  for (const chunk of chunksOf(bytes, size)) {
    lent.fill(0x21);
    chunk.copy(lent);
    yield lent.subarray(0, chunk.length);
  }
}

/** Chunk sizes for a sweep over an input of `length` bytes: every one up to 16, and some larger. */
export function chunkSizes(length: number): number[] {
  const small = Array.from({ length: Math.min(16, length) }, (_, at) => at + 1);
  return [...small, ...[31, 64, 100, 1000, length - 1, length, length + 1].filter((size) => size > 16)];
}
