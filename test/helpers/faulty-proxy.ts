/** A proxy in front of an HTTP server that loses answers, or never lets a request through. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";

/** What happens to a request: `lose` breaks the connection when the server has done its work, `hold` never passes it on. */
export type Fate = "pass" | "lose" | "hold";

/** Starts a proxy, which ends with the test. `decide` is asked for each request, by its statement. */
export async function startFaultyProxy(
  context: TestContext,
  url: string,
  decide: (statement: string) => Fate,
): Promise<string> {
  const server = createServer((request, response) => {
    void pass(request, response, url, decide).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function pass(
  request: IncomingMessage,
  response: ServerResponse,
  url: string,
  decide: (statement: string) => Fate,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const statement = new URL(request.url!, url).searchParams.get("query") ?? body.toString();
  const fate = decide(statement);
  if (fate === "hold") return;
  const headers = { authorization: request.headers.authorization ?? "", connection: "close" };
  const answer = await fetch(new URL(request.url!, url), { method: "POST", body, headers });
  const text = await answer.text();
  if (fate === "lose") {
    request.socket.destroy();
    return;
  }
  response.writeHead(answer.status);
  response.end(text);
}
