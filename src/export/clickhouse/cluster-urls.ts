import { ExportError } from "../../errors.js";
import type { Connection } from "./connection.js";
import { quoteText } from "./quote.js";

interface ClusterNode {
  host_name: string;
  host_address: string;
  port: number | string;
}

/**
 * The URLs of all nodes of a cluster: those given, and for nodes on other hosts the same protocol and HTTP port as the first one has.
 * `system.clusters` tells hosts, but not their HTTP ports.
 *
 * @throws ExportError when the server knows no such cluster, or when a host has more nodes than URLs.
 */
export async function clusterUrls(server: Connection, cluster: string, origins: readonly string[]): Promise<string[]> {
  const nodes = await server.select<ClusterNode>(
    `SELECT DISTINCT host_name, host_address, port FROM system.clusters WHERE cluster = ${quoteText(cluster)} ORDER BY host_name, port`,
  );
  if (nodes.length === 0) throw await unknownCluster(server, cluster);

  const urls = new Set(origins);
  const hosts = new Map<string, ClusterNode[]>();
  for (const node of nodes) hosts.set(node.host_name, [...(hosts.get(node.host_name) ?? []), node]);
  for (const [host, onHost] of hosts) {
    const given = origins.filter((origin) => isOnHost(origin, onHost[0]!));
    if (given.length === 0 && onHost.length === 1) urls.add(urlOnHost(origins[0]!, host));
    else if (given.length < onHost.length) {
      throw new ExportError(
        "WRITE_FAILED",
        `Cannot export to cluster "${cluster}": ${onHost.length} of its nodes are on ${host}; give the URL of each with --url`,
      );
    }
  }
  return [...urls];
}

function isOnHost(origin: string, { host_name, host_address }: ClusterNode): boolean {
  const hostname = new URL(origin).hostname.replace(/^\[|\]$/g, "");
  return hostname === host_name.toLowerCase() || hostname === host_address;
}

function urlOnHost(origin: string, host: string): string {
  const { protocol, port } = new URL(origin);
  return new URL(`${protocol}//${host.includes(":") ? `[${host}]` : host}${port && `:${port}`}`).origin;
}

async function unknownCluster(server: Connection, cluster: string): Promise<ExportError> {
  const known = await server.select<{ cluster: string }>(
    "SELECT DISTINCT cluster FROM system.clusters ORDER BY cluster",
  );
  const names = known.map((row) => `"${row.cluster}"`).join(", ") || "none";
  return new ExportError(
    "WRITE_FAILED",
    `Cannot export to "${server.origin}": it knows no cluster "${cluster}"; those of its configuration: ${names}`,
  );
}
