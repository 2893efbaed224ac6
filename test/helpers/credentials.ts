/** Credentials of common kinds, none of them real. They are put together here so that no scanner finds one in the repository. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { TestContext } from "node:test";
import { assistant, entry, header, jsonl, toolResult, usage, user } from "./entries.js";
import { makeStore } from "./stores.js";

let made = 0;

/** Letters and digits as keys have them: others each time, the same in each run. */
function letters(length: number, alphabet = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"): string {
  const noise = createHash("shake256", { outputLength: length }).update(String(made++)).digest();
  return Array.from(noise, (byte) => alphabet[byte % alphabet.length]!).join("");
}

const upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const hex = "0123456789abcdef";

const pem = (kind: string, begin: string) =>
  [
    ["-----BEGIN", kind, "PRIVATE", "KEY-----"].join(" ").replace("  ", " "),
    begin + letters(60),
    ...Array.from({ length: 8 }, (_, at) => letters(60 + (at % 4))),
    ["-----END", kind, "PRIVATE", "KEY-----"].join(" ").replace("  ", " "),
  ].join("\n");

/** A credential, and the text around it in which it is one. */
export interface Credential {
  kind: string;
  secret: string;
  before?: string;
  after?: string;
}

const join = (...parts: string[]): string => parts.join("");

export const credentials: readonly Credential[] = [
  { kind: "github-token", secret: join("gh", "p_", letters(36)) },
  { kind: "github-token", secret: join("gh", "o_", letters(36)) },
  { kind: "github-token", secret: join("github", "_pat_", letters(82)) },
  { kind: "gitlab-token", secret: join("gl", "pat-", letters(20)) },
  { kind: "aws-access-key-id", secret: join("AK", "IA", letters(16, upper)) },
  { kind: "aws-secret-access-key", secret: letters(40), before: "AWS_SECRET_ACCESS_KEY=" },
  { kind: "aws-secret-access-key", secret: letters(40), before: 'aws_secret_access_key = "', after: '"' },
  { kind: "npm-access-token", secret: join("np", "m_", letters(36)) },
  { kind: "npmrc-auth-token", secret: letters(30), before: "//registry.npmjs.org/:_authToken=" },
  {
    kind: "slack-token",
    secret: join("xo", "xb-", letters(12, "123456789"), "-", letters(12, "123456789"), "-", letters(24)),
  },
  {
    kind: "incoming-webhook",
    secret: join("https://hooks.", "slack.com/services/T", letters(8), "/B", letters(8), "/", letters(24)),
  },
  { kind: "openai-token", secret: join("sk-", letters(20), "T3Blbk", "FJ", letters(21).slice(1)) },
  { kind: "openai-token", secret: join("sk-", "proj-", letters(74), "T3Blbk", "FJ", letters(75).slice(1)) },
  { kind: "anthropic-api-key", secret: join("sk-", "ant-", "api03-", letters(93), "AA") },
  { kind: "anthropic-token", secret: join("sk-", "ant-", "oat01-", letters(90)) },
  { kind: "openrouter-key", secret: join("sk-", "or-", "v1-", letters(64, hex)) },
  { kind: "google-api-key", secret: join("AI", "za", letters(35)) },
  { kind: "hugging-face-token", secret: join("h", "f_", letters(34)) },
  { kind: "stripe-key", secret: join("sk_", "live_", letters(24)) },
  { kind: "sendgrid-key", secret: join("S", "G.", letters(22), ".", letters(43)) },
  { kind: "json-web-token", secret: join("ey", "J", letters(20), ".ey", "J", letters(40), ".", letters(43)) },
  { kind: "bearer-token", secret: letters(40), before: "Authorization: Bearer " },
  { kind: "basic-auth", secret: join("https://", "bob:", letters(12), "@files.example.org"), after: "/x.tgz" },
  { kind: "postgresql-connection", secret: join("postgres://", "app:", letters(12), "@db.internal:5432/app") },
  { kind: "url-password", secret: letters(12), before: "redis://:", after: "@cache.internal:6379" },
  { kind: "private-key", secret: pem("RSA", "MII") },
  { kind: "private-key", secret: pem("", "MII") },
  { kind: "private-key", secret: pem("OPENSSH", "b3BlbnNzaC1rZXktdjE") },
  { kind: "private-key", secret: pem("ENCRYPTED", "MII") },
];

/** What looks like a credential, and is none. */
export const ordinaryTexts: readonly string[] = [
  letters(40, hex),
  letters(64, hex),
  `commit ${letters(40, hex)}\nindex ${letters(7, hex)}..${letters(7, hex)} 100644`,
  "0193f2a1-7c1d-7abc-8def-0123456789ab",
  "550e8400-e29b-41d4-a716-446655440000",
  `sha512-${letters(86)}==`,
  `data:image/png;base64,${letters(400)}`,
  Buffer.from(letters(300)).toString("base64"),
  `toolu_01${letters(22)}`,
  `call_${letters(24)}`,
  "claude-sonnet-4-5-20250929",
  "npm_config_registry=https://registry.npmjs.org/",
  "<div class='sk-button-primary sk-folding-cube'>",
  "git@github.com:owner/repository.git",
  "https://example.org/path?query=1#part and http://localhost:8080/x@y",
  ["https://user:$", "{PASSWORD}@example.org/"].join(""),
  "postgres://localhost/test",
  "mail to someone@example.org: bring your own key",
  "const token = process.env.GITHUB_TOKEN;",
  "It goes on…",
  "ein Schlüssel 𝄞 \u2028 \0 \ufffd",
];

/** A store that holds each credential at every place that an export shows. */
export function storeOfCredentials(context: TestContext): string {
  const texts = credentials.map(({ secret, before = "", after = "" }) => before + secret + after);
  const lines = texts.flatMap((text, at) => {
    const filler = "word ".repeat(99 - (at % 5));
    return [
      user(`u${at}`, null, `Here: ${text}\nso`),
      assistant(`a${at}`, `u${at}`, "", {
        errorMessage: `failed with ${text}`,
        model: text,
        content: [
          { type: "thinking", thinking: `hm, ${text}\nhm` },
          { type: "text", text: `${filler}${text}` },
          { type: "toolCall", id: text, name: text, arguments: { command: `run ${text}`, list: [text], [text]: 1 } },
        ],
        usage: usage(1, 1, 0),
      }),
      toolResult(`r${at}`, `a${at}`, `output ${text}`, { toolCallId: text, toolName: text }),
      entry("message", `b${at}`, `r${at}`, {
        message: { role: "bashExecution", command: `x ${text}`, output: `${text}\n` },
      }),
    ];
  });
  return makeStore(context, {
    ...Object.fromEntries(
      texts.map((text, at) => [
        `--home-u--/${at}.jsonl`,
        jsonl(
          header({ id: `s${at}`, cwd: `/home/${text}`, parentSession: `/old/${text}.jsonl` }),
          user("1", null, text),
          entry("session_info", "2", "1", { name: `about ${text}` }),
        ),
      ]),
    ),
    "--home-u--/all.jsonl": jsonl(
      header({ id: "all" }),
      ...lines,
      user("o", null, ordinaryTexts.slice(0, 3).join("\n")),
    ),
  });
}

/** What an export of that store says holds no credential, but markers in their place, and the ordinary texts. */
export function assertRedacted(said: string): void {
  for (const { kind, secret } of credentials) {
    // A line of a private key is as telling as all of it.
    for (const line of secret.split("\n").filter((line) => !line.startsWith("-----"))) {
      const middle = line.slice(Math.max(0, line.length / 2 - 8), line.length / 2 + 8);
      const at = said.indexOf(middle);
      assert.equal(at, -1, `${kind}: ${said.slice(Math.max(0, at - 60), at + 30)}`);
    }
    assert.ok(said.includes(`[redacted: ${kind}]`), kind);
  }
  assert.ok(said.includes(ordinaryTexts[1]!));
}
