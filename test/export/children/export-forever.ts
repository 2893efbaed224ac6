/**
 * Exports to a database again and again until it is killed, each time all rows of a new generation, and says the number of each that is done:
 *
 *     node build/test/export/children/export-forever.js sqlite|duckdb FILE FIRST
 */
import { databaseEngines } from "../../helpers/databases.js";
import { changedFile, rowBatch } from "../../helpers/row-batches.js";

const [name, path, first] = process.argv.slice(2) as [string, string, string];
const engine = databaseEngines.find((engine) => engine.name === name)!;

console.log("ready");
for (let generation = Number(first); ; generation++) {
  const target = await engine.open(path, { tables: ["sessions", "messages"], host: "pond", settings: "s" });
  // Each time one file is not there, and comes back the next time.
  const files = ["/0", "/1", "/2", "/3"].filter((file) => file !== `/${generation % 4}`);
  for (const file of files) {
    const text = `${generation} `.repeat(50);
    await target.write(
      rowBatch(
        "messages",
        file,
        Array.from({ length: 400 }, () => ({ text })),
      ),
    );
    await target.write(rowBatch("sessions", file, [{ version: generation }]));
  }
  const removed = [...target.exported.keys()].filter((file) => !files.includes(file));
  await target.finish(
    files.map((file) => changedFile(file, { state: String(generation) })),
    removed,
  );
  console.log(generation);
}
