/**
 * ClickHouse servers that a test starts for itself, on loopback addresses: Debian's `clickhouse-server`, an old one, alone or as two nodes of a
 * cluster, and the current engine behind a server of ours. Each has its own folder and ports, and ends with the test process.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, before, describe } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { projectRoot } from "./files.js";

/** A user of the servers beside `default`, who has no password. */
export const ADA = { user: "ada", password: "l0ve \"& l'ace" };

/** The name of the cluster of `startCluster`. */
export const CLUSTER = "two_nodes";

const binary = findBinary();
const engine = join(projectRoot, "bench/peers/node_modules/chdb");

/** With this variable set, as in CI, a test fails where its engine is missing. */
const isRequired = process.env.PI_SESSIONS_NEED_CLICKHOUSE !== undefined;
/** Servers and engines take minutes, and are the same for every Node.js: in CI one of them is enough. */
const isTurn = process.versions.node.startsWith("20.") || !isRequired;

export const needsServer = needs(binary !== undefined, "clickhouse-server is not installed");
export const needsEngine = needs(
  existsSync(engine),
  "chdb is not installed: npm install --prefix bench/peers --ignore-scripts --no-save",
);

function needs(isThere: boolean, hint: string): { skip: string | false } {
  if (!isTurn) return { skip: "tested with Node.js 20" };
  return { skip: !isRequired && !isThere && hint };
}

/** What takes statements over HTTP. */
export interface TestServer {
  url: string;
  /** The answer to a statement, as TabSeparated: its rows, each a list of cells. */
  ask(statement: string): Promise<string[][]>;
}

export interface TestNode extends TestServer {
  /** Ends it as a power cut would. */
  kill(): Promise<void>;
  /** Starts it again, with what it holds. */
  restart(): Promise<void>;
}

export interface Stoppable {
  stop(): Promise<void>;
}

/** Where an export goes. */
export interface TestPlace {
  urls: string[];
  database: string;
  cluster?: string;
}

let databases = 0;

/** A place in a database of its own, which is not there yet. */
export function freshPlace<More extends object = object>(urls: readonly string[], more?: More): TestPlace & More {
  return { urls: [...urls], database: `sessions_${++databases}`, ...(more as More) };
}

/** Servers that hold the same tables. */
export interface Servers extends Stoppable {
  /** Every one of which answers for all. */
  nodes: readonly TestServer[];
  /** A place that holds nothing yet. */
  place(): TestPlace;
}

interface ServerKind {
  name: string;
  needs: { skip: string | boolean };
  start(): Promise<Servers>;
}

const startAlone = (start: () => Promise<TestServer & Stoppable>) => async (): Promise<Servers> => {
  const server = await start();
  return { nodes: [server], place: () => freshPlace([server.url]), stop: server.stop };
};

export const oldServer: ServerKind = { name: "an old server", needs: needsServer, start: startAlone(startServer) };
export const cluster: ServerKind = {
  name: "a cluster of two",
  needs: needsServer,
  async start() {
    const { nodes, stop } = await startCluster();
    return { nodes, place: () => freshPlace([nodes[0].url], { cluster: CLUSTER }), stop };
  },
};
export const currentEngine: ServerKind = {
  name: "the current engine",
  needs: needsEngine,
  start: startAlone(startEngine),
};

/** Describes what holds on every kind of server. The servers can be asked when a test runs. */
export function describeServers(preposition: string, register: (servers: Omit<Servers, "stop">) => void): void {
  for (const { name, needs, start } of [oldServer, cluster, currentEngine]) {
    describe(`${preposition} ${name}`, needs, () => {
      let servers: Servers;
      before(async () => {
        servers = await start();
      });
      after(() => servers?.stop());
      register({
        get nodes() {
          return servers.nodes;
        },
        place: () => servers.place(),
      });
    });
  }
}

/** A server alone, on 127.0.0.1. */
export async function startServer(): Promise<TestNode & Stoppable> {
  const folder = makeFolder();
  const [http, tcp] = await freePorts(["127.0.0.1"]);
  const node = new ServerNode(join(folder, "node"), { host: "127.0.0.1", http: http!, tcp: tcp! }, []);
  return await startAll(folder, [node], () => node);
}

/**
 * Two servers on 127.0.0.2 and 127.0.0.3, nodes of a cluster of two shards, with the same ports unless said otherwise. Were 127.0.0.1 among them,
 * each would take the other for itself.
 */
export async function startCluster({ sharesPorts = true } = {}): Promise<{ nodes: [TestNode, TestNode] } & Stoppable> {
  const folder = makeFolder();
  const hosts = ["127.0.0.2", "127.0.0.3"];
  const [http, tcp, otherHttp] = (await freePorts(hosts)) as [number, number, number];
  const places = hosts.map((host, at) => ({ host, http: sharesPorts || at === 0 ? http : otherHttp, tcp }));
  const [one, other] = places.map((place) => new ServerNode(join(folder, place.host), place, places));
  return await startAll(folder, [one!, other!], () => ({ nodes: [one!, other!] as [TestNode, TestNode] }));
}

/** The current engine. */
export async function startEngine(): Promise<TestServer & Stoppable> {
  const folder = makeFolder();
  const script = join(projectRoot, "bench/peers/clickhouse-current.mjs");
  const child = spawn(process.execPath, [script, join(folder, "data")], { stdio: ["pipe", "pipe", "inherit"] });
  const [port] = (await once(child.stdout!, "data")) as [Buffer];
  const url = `http://127.0.0.1:${String(port).trim()}`;
  return {
    url,
    ask: (statement) => ask(url, statement),
    stop: async () => {
      child.stdin!.end();
      await once(child, "exit");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Place {
  host: string;
  http: number;
  tcp: number;
}

class ServerNode implements TestNode {
  readonly url: string;
  readonly #folder: string;
  #process: ChildProcess | undefined;

  constructor(folder: string, place: Place, cluster: readonly Place[]) {
    this.url = `http://${place.host}:${place.http}`;
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "config.xml"), serverConfig(folder, place, cluster));
    writeFileSync(join(folder, "users.xml"), usersConfig());
  }

  async ask(statement: string): Promise<string[][]> {
    return await ask(this.url, statement);
  }

  async restart(): Promise<void> {
    const config = join(this.#folder, "config.xml");
    const child = spawn(binary!, [`--config-file=${config}`], { cwd: this.#folder, stdio: "ignore" });
    this.#process = child;
    children.add(child);
    child.once("exit", () => children.delete(child));
    for (;;) {
      const isUp = await this.ask("SELECT 1").catch(() => undefined);
      if (isUp) return;
      if (child.exitCode !== null) throw new Error(`clickhouse-server ended:\n${readFileSync(this.#log, "utf8")}`);
      await sleep(50);
    }
  }

  async kill(): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  }

  get #log(): string {
    return join(this.#folder, "errors.log");
  }
}

const children = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});

async function startAll<Result extends object>(
  folder: string,
  nodes: readonly ServerNode[],
  result: () => Result,
): Promise<Result & Stoppable> {
  if (binary === undefined) throw new Error("clickhouse-server is not installed: apt-get install clickhouse-server");
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.kill()));
    rmSync(folder, { recursive: true, force: true });
  };
  await Promise.all(nodes.map((node) => node.restart()));
  return Object.assign(result(), { stop });
}

async function ask(url: string, statement: string): Promise<string[][]> {
  const response = await fetch(url, { method: "POST", body: statement, headers: { connection: "close" } });
  const text = await response.text();
  if (!response.ok) throw new Error(`${statement}: ${text}`);
  return text === ""
    ? []
    : text
        .replace(/\n$/, "")
        .split("\n")
        .map((line) => line.split("\t"));
}

function findBinary(): string | undefined {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin"];
  return folders.map((folder) => join(folder, "clickhouse-server")).find((path) => existsSync(path));
}

function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), "pi-sessions-clickhouse-"));
}

/** Three ports that are free on all of the addresses. */
async function freePorts(hosts: readonly string[]): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < 3) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const areFree = await Promise.all(hosts.map((host) => isFree(host, port)));
    if (areFree.every(Boolean) && !ports.includes(port)) ports.push(port);
  }
  return ports;
}

async function isFree(host: string, port: number): Promise<boolean> {
  const probe = createServer();
  return await new Promise((resolve) => {
    probe.once("error", () => resolve(false));
    probe.listen(port, host, () => probe.close(() => resolve(true)));
  });
}

function serverConfig(folder: string, { host, http, tcp }: Place, cluster: readonly Place[]): string {
  const shards = cluster.map(
    (node) => `<shard><replica><host>${node.host}</host><port>${node.tcp}</port></replica></shard>`,
  );
  const clusters = shards.length > 0 ? `<${CLUSTER}>${shards.join("")}</${CLUSTER}>` : "";
  return `<yandex>
<logger><level>error</level><log>${folder}/server.log</log><errorlog>${folder}/errors.log</errorlog></logger>
<listen_host>${host}</listen_host><http_port>${http}</http_port><tcp_port>${tcp}</tcp_port>
<path>${folder}/data/</path><tmp_path>${folder}/tmp/</tmp_path>
<users_config>users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database>
<mark_cache_size>67108864</mark_cache_size>
<remote_servers>${clusters}</remote_servers>
</yandex>
`;
}

/** `default` without a password, one user with, and one who may only read. */
function usersConfig(): string {
  const user = (name: string, password: string, profile: string) =>
    `<${name}><password>${escapeXml(password)}</password><networks><ip>127.0.0.0/8</ip></networks><profile>${profile}</profile><quota>default</quota></${name}>`;
  return `<yandex>
<profiles><default></default><reader><readonly>1</readonly></reader></profiles>
<quotas><default></default></quotas>
<users>${user("default", "", "default")}${user(ADA.user, ADA.password, "default")}${user("reader", "", "reader")}</users>
</yandex>
`;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
