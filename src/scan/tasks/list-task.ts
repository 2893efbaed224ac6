import type { Session } from "../../report/session-summary.js";
import {
  type JoinedSession,
  joinSessionParts,
  type SessionPart,
  scanSession,
  scanSessionPart,
} from "../scan-session.js";
import { SessionFilter } from "../session-filter.js";
import type { FilterOptions, Task } from "./task.js";

interface ListPart {
  part: SessionPart;
  /** Whether a call of a wanted model is in it. */
  hasModel: boolean;
}

/** The sessions that the filters let through. */
export function listTask(options: FilterOptions): Task<Session[]> {
  const filter = new SessionFilter(options);
  const { onCall } = filter;
  const sessions: Session[] = [];
  const take = (scanned: JoinedSession | undefined): void => {
    if (scanned && filter.isChosen(scanned.session!)) sessions.push(scanned.session!);
  };
  return {
    scan(file) {
      const scanned = scanSession(file, {
        wantsSession: true,
        wantsIndex: false,
        begin: (header) => (filter.begin(header) ? { onCall } : undefined),
      });
      take(scanned);
    },
    scanPart(file, range): ListPart | undefined {
      filter.begin(range.header);
      const part = scanSessionPart(file, range, { onCall });
      return part && { part, hasModel: filter.hasModel };
    },
    join(file, header, ranges) {
      if (!filter.begin(header)) return true;
      const parts = ranges as ListPart[];
      filter.hasModel ||= parts.some(({ hasModel }) => hasModel);
      const sessionParts = parts.map(({ part }) => part);
      const joined = joinSessionParts(file, header, sessionParts, { onCall });
      take(joined);
      return joined !== undefined;
    },
    finish: () => sessions,
  };
}
