/** Smaller ones are copied sooner than they are handed over. */
const MIN_BYTES = 64 * 1024;

/**
 * The buffers of the large typed arrays in what a thread is to be told, so that they can be handed over instead of copied, which for a moment would take three
 * times their size. They must be nobody else's.
 */
export function largeBuffers(value: unknown, found = new Set<ArrayBuffer>()): Set<ArrayBuffer> {
  if (ArrayBuffer.isView(value)) {
    const { buffer } = value;
    if (buffer instanceof ArrayBuffer && buffer.byteLength >= MIN_BYTES) found.add(buffer);
  } else if (typeof value === "object" && value !== null) {
    for (const inner of Object.values(value)) largeBuffers(inner, found);
  }
  return found;
}
