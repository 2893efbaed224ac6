import type { EntrySink } from "../../read/entry-parser.js";
import { STORE_MAX_LINE_BYTES } from "../../read/limits.js";
import { pumpSessionSync, SessionPump } from "../../read/pump-session.js";
import { SizeGroups, type SizeParts } from "../../report/size-groups.js";
import type { OpenSession } from "../open-session.js";
import type { Task } from "./task.js";

/** Where the bytes of the sessions are. */
export function sizesTask({ limit }: { limit: number }): Task<SizeParts> {
  const sizes = new SizeGroups(limit);
  return {
    scan(file) {
      sizes.merge(measureOpenSession(file, limit).parts());
    },
    finish: () => sizes.parts(),
  };
}

/** Where the bytes of one session are. */
export function measureOpenSession({ fd, path, buffer, onBytes }: OpenSession, limit: number): SizeGroups {
  const sizes = new SizeGroups(limit);
  const sink: EntrySink = {
    header() {},
    entry(entry, line, _byteOffset, byteLength) {
      sizes.add(entry, path, line, byteLength);
    },
  };
  const pump = new SessionPump(fd, path, sink, { lean: {}, maxLineBytes: STORE_MAX_LINE_BYTES });
  pumpSessionSync(pump, fd, { buffer, onBytes });
  return sizes;
}
