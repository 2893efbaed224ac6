// The current ClickHouse engine behind HTTP, as a server would answer: node clickhouse-current.mjs FOLDER. Prints its port, and ends with its standard input.
import { createServer } from "node:http";
import { Session } from "chdb";

const session = new Session(process.argv[2]);

const server = createServer(async (request, response) => {
  try {
    const rows = Buffer.concat(await request.toArray()).toString();
    const query = new URL(request.url, "http://localhost").searchParams.get("query");
    // The statement of an insert stands in the URL, its rows in the body.
    response.end(session.query([query, rows].filter(Boolean).join("\n"), "TabSeparated"));
  } catch (error) {
    // Of a request that was ended early, nobody reads the answer.
    response.writeHead(500, { "x-clickhouse-exception-code": /Code: (\d+)/.exec(error.message)?.[1] ?? "1" });
    response.end(error.message);
  }
});

server.listen(0, "127.0.0.1", () => console.log(server.address().port));
process.stdin.resume().on("end", () => process.exit());
