import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";

/** The project's root, from where the compiled tests lie (build/test/helpers). */
export const projectRoot = fileURLToPath(new URL("../../..", import.meta.url));

/** The path of a file below fixtures/. */
export const fixture = (...parts: string[]): string => join(projectRoot, "fixtures", ...parts);

/** A folder of the test's own, taken away when the test ends. */
export function scratchFolder(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "pi-sessions-test-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
