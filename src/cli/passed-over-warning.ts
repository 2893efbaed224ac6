import { formatQuantity } from "./format-number.js";

/** What a command passed over. */
export interface PassedOver {
  damagedLines: number;
  /** Files that are no sessions, and files and folders that could not be read. */
  files: number;
}

/** One line that counts what was passed over, and says where it is named; undefined when that was nothing. */
export function passedOverWarning({ damagedLines, files }: PassedOver): string | undefined {
  const parts: string[] = [];
  if (damagedLines > 0) {
    parts.push(`${formatQuantity(damagedLines, "damaged line", "damaged lines")} (see: pi-sessions check)`);
  }
  if (files > 0) {
    const what = formatQuantity(files, "file that is no session or", "files that are no sessions or");
    parts.push(`${what} can't be read (see: pi-sessions list --json)`);
  }
  return parts.length === 0 ? undefined : `skipped ${parts.join(" and ")}`;
}
