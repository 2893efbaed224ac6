import { filtersModels, modelFilter, timeFilter } from "../../report/call-filter.js";
import type { Session } from "../../report/session-summary.js";
import { projectFilter } from "../project-filter.js";
import { joinSessionParts, type SessionPart, scanSession, scanSessionPart } from "../scan-session.js";
import type { FilterOptions, Task } from "./task.js";

interface ListPart {
  part: SessionPart;
  /** Whether a call of a wanted model is in it. */
  hasModel: boolean;
}

/** The sessions that the filters let through. */
export function listTask(options: FilterOptions): Task<Session[]> {
  const isProjectWanted = projectFilter(options);
  const isTimeWanted = timeFilter(options);
  const isModelWanted = modelFilter(options);
  const needsModel = filtersModels(options);
  const sessions: Session[] = [];
  const addSession = (session: Session): void => {
    if (isTimeWanted(Date.parse(session.modified))) sessions.push(session);
  };
  return {
    scan(file) {
      let hasModel = !needsModel;
      const scanned = scanSession(file, {
        wantsIndex: false,
        begin(header) {
          hasModel = !needsModel;
          return isProjectWanted(header) ? (call) => (hasModel ||= isModelWanted(call)) : undefined;
        },
      });
      if (scanned && hasModel) addSession(scanned.session);
    },
    scanPart(file, range): ListPart | undefined {
      let hasModel = !needsModel;
      const part = scanSessionPart(file, range, (call) => (hasModel ||= isModelWanted(call)));
      return part && { part, hasModel };
    },
    join(file, header, ranges) {
      if (!isProjectWanted(header)) return true;
      const parts = ranges as ListPart[];
      let hasModel = parts.some((range) => range.hasModel);
      const session = joinSessionParts(
        file,
        header,
        parts.map(({ part }) => part),
        (call) => (hasModel ||= isModelWanted(call)),
      );
      if (session && hasModel) addSession(session);
      return session !== undefined;
    },
    finish: () => sessions,
  };
}
