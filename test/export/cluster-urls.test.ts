import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterUrls } from "../../src/export/clickhouse/cluster-urls.js";
import type { Connection } from "../../src/export/clickhouse/connection.js";

interface Node {
  host_name: string;
  host_address: string;
  port: number;
}

/** A server that knows one cluster of these nodes. */
const knowing = (...nodes: Node[]) =>
  ({
    origin: "http://entry:8123",
    select: async (query: string) => (query.includes("DISTINCT host") ? nodes : []),
  }) as unknown as Connection;

const node = (host: string, port = 9000): Node => ({ host_name: host, host_address: `address-of-${host}`, port });

test("clusterUrls reaches nodes that no URL names on the port of the first one", async () => {
  assert.deepEqual(await clusterUrls(knowing(node("one"), node("two")), "c", ["http://one:8123"]), [
    "http://one:8123",
    "http://two:8123",
  ]);
  assert.deepEqual(await clusterUrls(knowing(node("one"), node("::1")), "c", ["https://entry:8443"]), [
    "https://entry:8443",
    "https://one:8443",
    "https://[::1]:8443",
  ]);
  assert.deepEqual(await clusterUrls(knowing(node("one")), "c", ["https://entry"]), ["https://entry", "https://one"]);
});

test("clusterUrls takes the URLs that are given for hosts, by name or address", async () => {
  const nodes = knowing(node("One"), node("two"), node("::1"));
  assert.deepEqual(await clusterUrls(nodes, "c", ["http://one:1", "http://address-of-two:2", "http://[::1]:3"]), [
    "http://one:1",
    "http://address-of-two:2",
    "http://[::1]:3",
  ]);
});

test("clusterUrls needs a URL for each node of a host that has several", async () => {
  const nodes = knowing(node("one", 9000), node("one", 9001), node("two"));
  assert.deepEqual(await clusterUrls(nodes, "c", ["http://one:1", "http://one:2"]), [
    "http://one:1",
    "http://one:2",
    "http://two:1",
  ]);
  for (const urls of [["http://one:1"], ["http://entry:1"]]) {
    await assert.rejects(clusterUrls(nodes, "c", urls), {
      message: 'Cannot export to cluster "c": 2 of its nodes are on one; give the URL of each with --url',
    });
  }
});

test("clusterUrls tells when there is no such cluster", async () => {
  await assert.rejects(clusterUrls(knowing(), "c", ["http://entry:8123"]), {
    message: 'Cannot export to "http://entry:8123": it knows no cluster "c"; those of its configuration: none',
  });
});
