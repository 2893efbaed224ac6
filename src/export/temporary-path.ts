import { randomBytes } from "node:crypto";
import { join } from "node:path";

/** What the names of files on their way look like. */
const TEMPORARY = /^\..*\.[0-9a-f]{12}\.tmp$/;

/** A path for a file that is on its way to a name in a folder: no reader takes it for an export. */
export function temporaryPath(folder: string, name: string): string {
  return join(folder, `.${name}.${randomBytes(6).toString("hex")}.tmp`);
}

/** Whether a name is one of a file that was on its way. */
export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name);
}
