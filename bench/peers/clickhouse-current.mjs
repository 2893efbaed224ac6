// The current ClickHouse engine behind HTTP, as a server would answer: node clickhouse-current.mjs FOLDER. Prints its port, and ends with its standard input.
import { createServer } from "node:http";
import { Session } from "chdb";

const session = new Session(process.argv[2]);

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const query = new URL(request.url, "http://localhost").searchParams.get("query");
  // The statement of an insert stands in the URL, its rows in the body.
  const statement = [query, ...(chunks.length > 0 ? [Buffer.concat(chunks).toString()] : [])].filter(Boolean).join("\n");
  try {
    response.end(session.query(statement, "TabSeparated"));
  } catch (error) {
    response.writeHead(500, { "x-clickhouse-exception-code": /Code: (\d+)/.exec(error.message)?.[1] ?? "1" });
    response.end(error.message);
  }
});

server.listen(0, "127.0.0.1", () => console.log(server.address().port));
process.stdin.resume().on("end", () => process.exit());
