import type { SessionHeader } from "../format/header.js";
import type { Call } from "../report/call.js";
import { filtersModels, modelFilter, timeFilter } from "../report/call-filter.js";
import type { Session } from "../report/session-summary.js";
import { projectFilter } from "./project-filter.js";
import type { FilterOptions } from "./tasks/task.js";

/** Tells of one session after the other, while it is read, whether the filters choose it: its header's cwd, `modified` in the range, a call of such a model. */
export class SessionFilter {
  readonly #isProjectWanted: ReturnType<typeof projectFilter>;
  readonly #isTimeWanted: ReturnType<typeof timeFilter>;
  readonly #isModelWanted: ReturnType<typeof modelFilter>;
  readonly #needsModel: boolean;
  #hasProject = false;
  /** Whether a call of a wanted model came by, or none is needed. */
  hasModel = false;

  constructor(options: FilterOptions) {
    this.#isProjectWanted = projectFilter(options);
    this.#isTimeWanted = timeFilter(options);
    this.#isModelWanted = modelFilter(options);
    this.#needsModel = filtersModels(options);
  }

  /** Begins with a session. Whether it can be chosen at all. */
  begin(header: SessionHeader): boolean {
    this.hasModel = !this.#needsModel;
    this.#hasProject = this.#isProjectWanted(header);
    return this.#hasProject;
  }

  /** Takes the calls of the session; undefined where they do not matter. */
  get onCall(): ((call: Call) => void) | undefined {
    return this.#needsModel ? this.#addCall : undefined;
  }

  readonly #addCall = (call: Call): void => {
    this.hasModel ||= this.#isModelWanted(call);
  };

  /** Whether the session is chosen, once all of it was read. */
  isChosen({ modified }: Session): boolean {
    return this.#hasProject && this.hasModel && this.#isTimeWanted(Date.parse(modified));
  }
}
