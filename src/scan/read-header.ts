import type { SessionHeader } from "../format/header.js";
import type { EntrySink } from "../read/entry-parser.js";
import { pumpSession, SessionPump } from "../read/pump-session.js";
import { STORE_MAX_LINE_BYTES } from "./read-report.js";
import type { OpenFile } from "./scan-files.js";

/** Reads a session no further than its header. */
export async function readHeader({ handle, path, signal, onBytes }: OpenFile): Promise<SessionHeader> {
  let found: SessionHeader | undefined;
  const sink: EntrySink = {
    header(header) {
      found = header;
    },
    entry() {},
  };
  const pump = new SessionPump(handle.fd, path, sink, { lean: "links", maxLineBytes: STORE_MAX_LINE_BYTES });
  await pumpSession(pump, handle, { signal, onBytes, isEnough: () => found !== undefined, chunkBytes: 4096 });
  return found!;
}
