import { ExportError } from "../errors.js";

/** Why `task` can't be done without a package, and how to install it, as in `name@12`: what is installed globally finds only packages that are global, too. */
export function missingPackageError(task: string, spec: string, cause: unknown): ExportError {
  const name = spec.replace(/(?<=.)@\d+$/, "");
  const how = `install it beside pi-sessions: npm install ${spec}, or npm install -g ${spec} where pi-sessions is installed globally`;
  return new ExportError("MISSING_PACKAGE", `${task}: the package ${name} is missing; ${how}`, cause);
}
