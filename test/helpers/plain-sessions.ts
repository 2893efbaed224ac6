/** Session files as pi writes them, line by line in its own spelling, with some lines and bytes that are not. */
import fc from "fast-check";
import { at, type Line, START } from "./entries.js";
import { seededRandom, spellJson } from "./spell-json.js";

/** What a reader that looks for usage in the wrong place would take. */
const DECOY = { usage: { input: 7e6, output: 7e6, cost: { total: 7e6 } }, role: "assistant", timestamp: 7 };

const texts = [
  "ok",
  "",
  'quotes " and \\ and \\" at once',
  "\\\\\\\\\\",
  "lines\nof\r\ntext\twith \u001b[1mescapes\u001b[0m \b\f \u0001",
  '{"type":"message","message":{"role":"assistant","usage":{"input":5,"cost":{"total":5}}}}',
  '","usage":{"input":5,"output":5,"cost":{"total":5}}',
  "fifteen bytes ..\\n",
  "caf\u00e9 \u6f22\u5b57 \u{1f438} \u2028 \ud800",
  "x".repeat(15),
  "x".repeat(16),
  `${"x".repeat(31)}"`,
];

type Random = () => number;
const choose = <T>(random: Random, choices: readonly T[]): T => choices[Math.floor(random() * choices.length)]!;

function someUsage(random: Random): Line {
  const tokens = (): number => choose(random, [0, 1, 12345, 2 ** 31, 9007199254740991, 1e21, 0.5]);
  const dollars = (): number => choose(random, [0, 0.000001, 0.1 + 0.2, 12.5, 1e-7, 123456.789]);
  const cost: Line = { input: dollars(), output: dollars(), cacheRead: dollars(), cacheWrite: dollars() };
  if (random() < 0.9) cost.total = dollars();
  const usage: Line = { input: tokens(), output: tokens(), cacheRead: tokens(), cacheWrite: tokens() };
  if (random() < 0.8) usage.totalTokens = tokens();
  if (random() < 0.1) usage.reasoning = 5;
  usage.cost = random() < 0.95 ? cost : choose(random, [0.5, null, "1", [cost]]);
  if (random() < 0.1) usage[choose(random, ["input", "cacheRead"])] = choose(random, [-1, null, "5", -0]);
  return usage;
}

function someMessage(random: Random, time: number): Line {
  const text = choose(random, texts);
  const timestamp = random() < 0.9 ? { timestamp: time } : choose(random, [{}, { timestamp: -1 }, { timestamp: "x" }]);
  const role = choose(random, [
    "user",
    "assistant",
    "assistant",
    "assistant",
    "toolResult",
    "toolResult",
    "bashExecution",
  ]);
  const content = [{ type: "text", text }];
  switch (role) {
    case "assistant": {
      const [provider, model] = choose(random, [
        ["anthropic", "claude-opus-4-5"],
        ["openai", "gpt-5"],
        ["", "m"],
        [undefined, null],
      ] as const);
      return {
        role,
        content: [...content, { type: "toolCall", id: "call", name: "bash", arguments: choose(random, [{}, DECOY]) }],
        provider,
        model,
        ...(random() < 0.2 && { responseModel: "answered \u00e9" }),
        ...(random() < 0.3 && { responseId: `msg_${Math.floor(random() * 1e9)}` }),
        ...(random() < 0.95 && { usage: someUsage(random) }),
        stopReason: "stop",
        ...timestamp,
      };
    }
    case "toolResult":
      return {
        role,
        toolCallId: "call",
        toolName: choose(random, ["bash", "task", ""]),
        content,
        ...(random() < 0.3 && { details: DECOY }),
        ...(random() < 0.2 && { usage: someUsage(random) }),
        isError: false,
        ...timestamp,
      };
    case "user":
      return { role, content: choose(random, [text, content]), ...timestamp };
    default:
      return { role, command: "ls", output: text, ...(random() < 0.2 && DECOY), ...timestamp };
  }
}

function someEntry(random: Random): Line {
  const type = choose(random, [
    "model_change",
    "thinking_level_change",
    "label",
    "custom",
    "session_info",
    "usage",
    "compaction",
    "branch_summary",
    "new",
  ]);
  const more: Record<string, Line> = {
    model_change: { provider: choose(random, ["openai", "xai"]), modelId: choose(random, ["gpt-5", "grok"]) },
    thinking_level_change: { thinkingLevel: "high" },
    label: { targetId: "00000001", label: "here" },
    custom: { customType: "t", data: DECOY, ...DECOY },
    session_info: { name: "a\nname" },
    usage: { kind: "cache_warm", provider: "openai", model: "gpt-5", usage: someUsage(random) },
    compaction: { summary: "s", firstKeptEntryId: "00000001", tokensBefore: 5, message: DECOY },
    branch_summary: { fromId: "root", summary: "s" },
    new: DECOY,
  };
  return { type, ...more[type], ...(type !== "usage" && random() < 0.2 && { usage: someUsage(random) }) };
}

/** Of versions 1 to 3; `damaged`: with some bytes changed, put in or taken out. */
export function plainSession({ damaged = false }: { damaged?: boolean } = {}): fc.Arbitrary<Buffer> {
  return fc
    .tuple(fc.integer(), fc.integer({ min: 1, max: 3 }), fc.integer({ min: 0, max: 40 }))
    .map(([seed, version, count]) => {
      const random = seededRandom(seed);
      const id = (number: number): string => ((number * 0x9e3779b1) >>> 0).toString(16).padStart(8, "0");
      const lines = [
        JSON.stringify({ type: "session", ...(version > 1 && { version }), id: "s", timestamp: at(0), cwd: "/p" }),
      ];
      const oddity = choose(random, [0, 0, 0.05]);
      for (let number = 1; number <= count; number++) {
        const parent = number === 1 ? null : id(random() < 0.9 ? number - 1 : 1 + Math.floor(random() * (number - 1)));
        const { type, ...rest } =
          random() < 0.8 ? { type: "message", message: someMessage(random, START + number) } : someEntry(random);
        const links = version > 1 || random() < oddity ? { id: id(number), parentId: parent } : {};
        const entry = { type, ...links, timestamp: at(number), ...rest };
        lines.push(random() < oddity ? spellJson(entry, random, 0.2) : JSON.stringify(entry));
      }
      const end = random() < 0.1 ? "\r\n" : "\n";
      let bytes = Buffer.from(lines.map((line) => line + end).join(""));
      for (let damage = damaged ? 1 + Math.floor(random() * 4) : 0; damage > 0; damage--) {
        const place = Math.floor(random() * bytes.length);
        const put = Buffer.from(
          choose(random, ["", '"', "\\", "\0", "{", "}", "é", "\n", String.fromCharCode(random() * 128)]),
        );
        bytes = Buffer.concat([bytes.subarray(0, place), put, bytes.subarray(place + Math.floor(random() * 2))]);
      }
      return bytes;
    });
}
