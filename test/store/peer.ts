/** pi's own class, released, to measure against: it lies in `bench/peers`, which has an install of its own. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { SessionManager } from "../../src/store/session-manager.js";
import { projectRoot } from "../helpers/files.js";

export type SessionManagerClass = Pick<typeof SessionManager, keyof typeof SessionManager>;

export interface Peer {
  name: string;
  SessionManager: SessionManagerClass;
  /** Version 0.73 lacks some methods, and has others of their first form. */
  isFirstGeneration: boolean;
}

const peers = [
  { name: "@earendil-works/pi-coding-agent", isFirstGeneration: false },
  { name: "@mariozechner/pi-coding-agent", isFirstGeneration: true },
];

/** The peers that are installed; none in an ordinary checkout. */
export async function loadPeers(): Promise<Peer[]> {
  const loaded: Peer[] = [];
  for (const peer of peers) {
    const file = join(projectRoot, "bench/peers/node_modules", peer.name, "dist/core/session-manager.js");
    if (!existsSync(file)) continue;
    const { SessionManager } = (await import(pathToFileURL(file).href)) as { SessionManager: SessionManagerClass };
    loaded.push({ ...peer, SessionManager });
  }
  return loaded;
}

export const NO_PEERS = "pi's own class is not installed: run `npm ci` in bench/peers";
