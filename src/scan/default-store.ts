import { homedir } from "node:os";
import { join } from "node:path";

/**
 * The store that is read when none is given: `$PI_CODING_AGENT_SESSION_DIR`, else `$PI_CODING_AGENT_DIR/sessions`, else `~/.pi/agent/sessions`.
 * The one place where the library reads the environment.
 */
export function defaultStore(environment: NodeJS.ProcessEnv = process.env): string {
  return environment.PI_CODING_AGENT_SESSION_DIR || defaultSessionsRoot(environment);
}

/** The root below which pi keeps a folder a project: `$PI_CODING_AGENT_DIR/sessions`, else `~/.pi/agent/sessions`. */
export function defaultSessionsRoot(environment: NodeJS.ProcessEnv = process.env): string {
  return join(environment.PI_CODING_AGENT_DIR || join(homedir(), ".pi", "agent"), "sessions");
}

/** Who is logged in at a ClickHouse server: `$CLICKHOUSE_USER` and `$CLICKHOUSE_PASSWORD`. */
export function clickhouseCredentials(environment: NodeJS.ProcessEnv = process.env): {
  user?: string;
  password?: string;
} {
  const { CLICKHOUSE_USER: user, CLICKHOUSE_PASSWORD: password } = environment;
  return { ...(user && { user }), ...(password && { password }) };
}
