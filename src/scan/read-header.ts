import type { SessionHeader } from "../format/header.js";
import type { EntrySink } from "../read/entry-parser.js";
import { STORE_MAX_LINE_BYTES } from "../read/limits.js";
import { pumpSessionSync, SessionPump } from "../read/pump-session.js";
import type { OpenSession } from "./open-session.js";

/** How much of a file is read at once to find its header. */
const HEADER_CHUNK_BYTES = 4096;

/** Reads a session no further than its header. Throws a `SessionFormatError` for a file that is none. */
export function readHeaderSync({ fd, path, buffer, onBytes }: OpenSession): SessionHeader {
  let found: SessionHeader | undefined;
  const sink: EntrySink = {
    header(header) {
      found = header;
    },
    entry() {},
  };
  const pump = new SessionPump(fd, path, sink, { lean: "links", maxLineBytes: STORE_MAX_LINE_BYTES });
  const isEnough = (): boolean => found !== undefined;
  pumpSessionSync(pump, fd, { buffer: buffer.subarray(0, HEADER_CHUNK_BYTES), onBytes, isEnough });
  return found!;
}
