import type { Problem } from "../../format/problem.js";
import { checkOpenSessionSync } from "../../read/check-session.js";
import { STORE_MAX_LINE_BYTES } from "../../read/limits.js";
import type { Task } from "./task.js";

/** What is wrong with each session. */
export function checkTask(): Task<{ path: string; findings: Problem[] }[]> {
  const files: { path: string; findings: Problem[] }[] = [];
  return {
    scan({ fd, path, buffer, onBytes }) {
      const findings = checkOpenSessionSync(fd, path, { buffer, onBytes, maxLineBytes: STORE_MAX_LINE_BYTES });
      if (findings.length > 0) files.push({ path, findings });
    },
    finish: () => files,
  };
}
