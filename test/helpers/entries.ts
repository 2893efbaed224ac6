/**
 * Small builders of the lines of a session, as plain objects in pi's own key order. Times count in seconds from one fixed moment, so that a test can
 * tell by hand what comes out.
 */
export const START = Date.parse("2026-01-02T03:04:05.000Z");

export type Line = Record<string, unknown>;

/** ISO time `seconds` after `START`. */
export const at = (seconds: number): string => new Date(START + seconds * 1000).toISOString();

export function header(more: Line = {}): Line {
  return {
    type: "session",
    version: 3,
    id: "01a00000-0000-7000-8000-000000000001",
    timestamp: at(0),
    cwd: "/home/u/proj",
    ...more,
  };
}

/** An entry of any type; its time is its id read as a number, when it is one. */
export function entry(type: string, id: string, parentId: string | null, more: Line = {}): Line {
  return { type, id, parentId, timestamp: at(Number.parseInt(id, 16) % 100_000 || 0), ...more };
}

export function message(id: string, parentId: string | null, message: Line): Line {
  return entry("message", id, parentId, {
    message: { ...message, timestamp: START + (Number.parseInt(id, 16) % 100_000 || 0) * 1000 },
  });
}

export function user(id: string, parentId: string | null, content: unknown): Line {
  return message(id, parentId, { role: "user", content });
}

export const usage = (input = 0, output = 0, cost = 0, more: Line = {}): Line => ({
  input,
  output,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: input + output,
  cost: { input: 0, output: cost, cacheRead: 0, cacheWrite: 0, total: cost },
  ...more,
});

export function assistant(id: string, parentId: string | null, text: string, more: Line = {}): Line {
  return message(id, parentId, {
    role: "assistant",
    content: [{ type: "text", text }],
    api: "anthropic-messages",
    provider: "anthropic",
    model: "claude-sonnet-4-5",
    usage: usage(),
    stopReason: "stop",
    ...more,
  });
}

export function toolResult(id: string, parentId: string | null, text: string, more: Line = {}): Line {
  return message(id, parentId, {
    role: "toolResult",
    toolCallId: "call_1",
    toolName: "bash",
    content: [{ type: "text", text }],
    isError: false,
    ...more,
  });
}

/** The lines as the bytes of a file, each ended by a newline. */
export function jsonl(...lines: Line[]): Buffer {
  return Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}
