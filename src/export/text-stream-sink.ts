import type { RowBatch } from "./row-batch.js";
import type { Exported, RowFormat, RowSink } from "./row-sink.js";
import type { TableName } from "./tables.js";

/** Takes text; the promise is done when more may come. */
export type TextWriter = (text: string) => Promise<void>;

/** A sink that writes the rows of one table as they come. */
export async function openTextStream(write: TextWriter, format: RowFormat, table: TableName): Promise<RowSink> {
  let rows = 0;
  await write(format.head(table));
  return {
    async write(batch: RowBatch): Promise<void> {
      rows += batch.count;
      await write(format.rows(batch));
    },
    finish: async (): Promise<Exported> => ({ tables: { [table]: rows }, files: [] }),
    abort: async () => {},
  };
}
