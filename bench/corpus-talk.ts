import type { CorpusSession, EntryFacts } from "./corpus-session.js";
import type { TextPools } from "./corpus-text.js";
import type { Random } from "./random.js";
import type { Attribution, Call, Sum } from "./truth.js";

interface Model {
  api: string;
  provider: string;
  id: string;
  /** The model that answered, where a router picked it. */
  responseModel?: string;
  /** Millionths of a US dollar a token. */
  prices: { input: number; output: number; cacheRead: number; cacheWrite: number };
}

const MODELS: readonly Model[] = [
  {
    api: "anthropic-messages",
    provider: "anthropic",
    id: "claude-sonnet-4-5",
    prices: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  },
  {
    api: "anthropic-messages",
    provider: "anthropic",
    id: "claude-opus-4-5",
    prices: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
  },
  {
    api: "openai-responses",
    provider: "openai",
    id: "gpt-5.1-codex",
    prices: { input: 1.25, output: 10, cacheRead: 0.125, cacheWrite: 0 },
  },
  {
    api: "google-generative-ai",
    provider: "google",
    id: "gemini-3-pro",
    prices: { input: 2, output: 12, cacheRead: 0.2, cacheWrite: 0 },
  },
  {
    api: "openai-completions",
    provider: "openrouter",
    id: "auto",
    responseModel: "qwen/qwen3-coder",
    prices: { input: 0.2, output: 0.8, cacheRead: 0.05, cacheWrite: 0 },
  },
];

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** What one round of tools takes in a file, more or less: short sessions end before it rather than behind it. */
const TOOLS_BYTES = 3000;

/** Bytes of context after which a session is compacted. */
const COMPACT_ABOVE_BYTES = 500_000;

type Tokens = Pick<Sum, "input" | "output" | "cacheRead" | "cacheWrite">;

/** Fills a session with what people, models and tools say, in the proportions of real ones. */
export class Talk {
  private model: Model;
  /** Bytes of the context now, and those that the provider has cached. */
  private contextBytes = 0;
  private cachedBytes = 0;
  /** Where each turn began: the index of the entry before it. */
  private turnStarts: number[] = [];
  private damage: "glued" | "nul" | undefined;

  constructor(
    private readonly session: CorpusSession,
    private readonly random: Random,
    private readonly pools: TextPools,
  ) {
    this.model = random.chance(0.6) ? MODELS[0]! : random.pick(MODELS);
  }

  /** What pi writes before the first message. Version 1 wrote nothing. */
  begin(): void {
    const { session, random } = this;
    if (session.layout === "v1" || session.layout === "migrated") return;
    this.changeModel(this.model);
    session.append("thinking_level_change", `"thinkingLevel":"${random.pick(["off", "low", "medium", "high"])}"`);
    if (session.layout === "v3" && random.chance(0.1)) {
      session.append(
        "message",
        `"message":{"role":"system","content":"${this.prose(1500)}","timestamp":${session.clock}}`,
      );
    }
  }

  /** One line in the middle of the session will be damaged. */
  planDamage(kind: "glued" | "nul"): void {
    this.damage = kind;
  }

  /** A user message and all that it sets off, cut short when the file reaches `limit` bytes. */
  turn(limit: number): void {
    const { session, random } = this;
    const isOld = session.layout === "v1" || session.layout === "migrated";
    this.writeDamage();
    if (!isOld && this.turnStarts.length > 1 && random.chance(0.06)) this.branch();
    if (session.layout !== "migrated" && this.contextBytes > COMPACT_ABOVE_BYTES) this.compact();
    this.turnStarts.push(session.leaf);
    this.sayUser();
    for (let steps = Math.min(30, random.size(4, 0.8)); steps > 0 && session.file.size + TOOLS_BYTES < limit; steps--)
      this.useTools();
    this.answer();
    if (!isOld) this.addOccasional();
  }

  /** Three messages of about `toolBytes` bytes in all: a call, its result, an answer. */
  exchange(toolBytes: number): void {
    this.sayUser();
    const callId = this.makeToolCallId();
    this.sayAssistant([this.toolCall(callId, "bash", `"command":"cat ledger.log"`)], "toolUse");
    const text = `{"type":"text","text":"${this.pools.code.piece(this.random, toolBytes)}"}`;
    this.sayToolResult(callId, "bash", [`[${text}]`]);
    this.answer();
  }

  /** A tool result that is one image of `base64Bytes` bytes. */
  showImage(base64Bytes: number): void {
    this.sayUser();
    const callId = this.makeToolCallId();
    this.sayAssistant([this.toolCall(callId, "read", `"path":"chart.png"`)], "toolUse");
    const piece = this.base64(1_000_000);
    const pieces: string[] = ['[{"type":"text","text":"Read image file [image/png]"},{"type":"image","data":"'];
    for (let left = base64Bytes; left > 0; left -= piece.length) pieces.push(piece.slice(0, left));
    pieces.push('","mimeType":"image/png"}]');
    this.sayToolResult(callId, "read", pieces);
    this.answer();
  }

  /** Four entries of some 200 bytes each. */
  smallTalk(): void {
    const { session, random } = this;
    this.pass(20, 0.5);
    session.append("message", `"message":{"role":"user","content":"go on","timestamp":${session.clock}}`, {
      activity: session.clock,
    });
    this.sayAssistant(['{"type":"text","text":"Done."}'], "stop");
    const callId = this.makeToolCallId();
    this.sayToolResult(callId, "bash", ['[{"type":"text","text":"ok"}]']);
    session.append("custom", `"customType":"counter","data":{"count":${random.between(0, 999)}}`);
  }

  /** Writes a compaction that keeps the entries from `firstKept` on; by default those of the last two turns. */
  compact(firstKept: number = (this.turnStarts.at(-2) ?? 0) + 1): void {
    const { session, random } = this;
    this.pass(8, 0.5);
    const kept = session.entries[firstKept]!;
    const link = session.layout === "v1" ? `"firstKeptEntryIndex":${firstKept + 1}` : `"firstKeptEntryId":"${kept.id}"`;
    const tokensBefore = this.contextBytes >> 2;
    let fields = `"summary":"${this.prose(2500)}",${link},"tokensBefore":${tokensBefore}`;
    if (session.layout !== "v1") fields += ',"details":{"readFiles":["src/tide.ts"],"modifiedFiles":[]}';
    const facts: EntryFacts = {};
    if (session.layout === "v3" && random.chance(0.5)) {
      const usage = this.makeUsage({ input: tokensBefore, output: 700, cacheRead: 0, cacheWrite: 0 });
      fields += `,"usage":${usage.json}`;
      facts.call = this.makeNestedCall("compaction", null, usage);
    }
    if (session.layout !== "v1") fields += ',"fromHook":false';
    session.append("compaction", fields, facts);
    this.contextBytes = 20_000;
    this.cachedBytes = 0;
    this.turnStarts = [];
  }

  /** Moves the leaf back to where an earlier turn began, so that a new branch starts there. */
  branch(): void {
    const { session, random } = this;
    const from = session.leaf;
    const turn = random.between(1, this.turnStarts.length - 1);
    session.leaf = this.turnStarts[turn]!;
    this.turnStarts.length = turn;
    if (session.layout !== "v3" || random.chance(0.5)) return;
    this.pass(5, 0.5);
    let fields = `"fromId":"${session.entries[from]!.id}","summary":"${this.prose(900)}"`;
    const facts: EntryFacts = {};
    if (random.chance(0.5)) {
      const usage = this.makeUsage({ input: random.between(500, 9000), output: 200, cacheRead: 0, cacheWrite: 0 });
      fields += `,"details":{"readFiles":[],"modifiedFiles":[]},"usage":${usage.json}`;
      facts.call = this.makeNestedCall("branch_summary", null, usage);
    }
    session.append("branch_summary", fields, facts);
  }

  /** The front of a tool result that was never finished. */
  tornLine(): string {
    const time = new Date(this.session.clock).toISOString();
    return `{"type":"message","id":"${this.random.hex(8)}","parentId":null,"timestamp":"${time}","message":{"role":"toolResult","toolCallId":"${this.makeToolCallId()}","toolName":"bash","content":[{"type":"text","text":"${this.pools.code.piece(this.random, 200)}`;
  }

  private writeDamage(): void {
    if (this.damage === "glued") this.session.tear(this.tornLine());
    if (this.damage === "nul") this.session.writeNuls(this.random.between(1, 4096));
    this.damage = undefined;
  }

  private sayUser(): void {
    const { session, random } = this;
    // Now and then someone comes back the next day, when the cache has long gone cold.
    if (random.chance(0.02)) {
      this.pass(12 * 3600, 0.3);
      this.cachedBytes = 0;
    } else {
      this.pass(40, 1);
    }
    const text = this.prose(random.size(120, 0.9));
    let content = random.chance(0.5) ? `"${text}"` : `[{"type":"text","text":"${text}"}]`;
    if (random.chance(0.003)) {
      const image = `{"type":"image","data":"${this.base64(random.size(40_000, 0.8))}","mimeType":"image/png"}`;
      content = `[{"type":"text","text":"${text}"},${image}]`;
    }
    const activity = session.clock - random.between(0, 9);
    session.append("message", `"message":{"role":"user","content":${content},"timestamp":${activity}}`, { activity });
    this.contextBytes += text.length;
  }

  private answer(): void {
    const { random } = this;
    const text = `{"type":"text","text":"${this.prose(random.size(220, 0.8))}"}`;
    const stopReason = random.chance(0.03) ? random.pick(["aborted", "error", "length"]) : "stop";
    this.sayAssistant(random.chance(0.2) ? [this.thinking(), text] : [text], stopReason);
  }

  /** An assistant message that calls one tool or two, and their results. */
  private useTools(): void {
    const { random } = this;
    const blocks: string[] = [];
    if (random.chance(0.2)) blocks.push(this.thinking());
    if (random.chance(0.4)) blocks.push(`{"type":"text","text":"${this.prose(random.size(60, 0.6))}"}`);
    const calls: { id: string; tool: Tool }[] = [];
    for (let count = random.chance(0.2) ? 2 : 1; count > 0; count--)
      calls.push({ id: this.makeToolCallId(), tool: pickTool(random) });
    for (const { id, tool } of calls)
      blocks.push(this.toolCall(id, tool.name, tool.makeArguments(this.random, this.pools)));
    this.sayAssistant(blocks, "toolUse");
    for (const { id, tool } of calls) this.runTool(id, tool);
  }

  private runTool(callId: string, tool: Tool): void {
    const { random, pools } = this;
    this.pass(tool.seconds, 1);
    let content = `[{"type":"text","text":"${pools.code.piece(random, Math.min(50_000, random.size(tool.bytes, 1.2)))}"}]`;
    if (tool.name === "read" && random.chance(0.004)) {
      const image = `{"type":"image","data":"${this.base64(random.size(60_000, 0.8))}","mimeType":"image/png"}`;
      content = `[{"type":"text","text":"Read image file [image/png]"},${image}]`;
    }
    const details = tool.makeDetails?.(random, pools);
    const hasUsage = tool.name === "subagent" && this.session.layout === "v3" && random.chance(0.7);
    const tokens = { input: random.between(100, 9000), output: random.between(20, 900), cacheRead: 0, cacheWrite: 0 };
    this.sayToolResult(callId, tool.name, [content], details, hasUsage ? this.makeUsage(tokens) : undefined);
  }

  private sayToolResult(
    callId: string,
    toolName: string,
    content: string[],
    details?: string,
    usage?: MadeUsage,
  ): void {
    const { session, random } = this;
    const isError = random.chance(0.04);
    session.append(
      "message",
      [
        `"message":{"role":"toolResult","toolCallId":"${callId}","toolName":"${toolName}","content":`,
        ...content,
        details === undefined ? "" : `,"details":${details}`,
        usage ? `,"usage":${usage.json}` : "",
        `,"isError":${isError},"timestamp":${session.clock}}`,
      ],
      usage ? { call: this.makeNestedCall("tool", toolName, usage) } : {},
    );
    const { start, end } = session.entries[session.leaf]!;
    this.contextBytes += end - start;
  }

  private sayAssistant(blocks: readonly string[], stopReason: string): void {
    const { session, random, model } = this;
    const started = session.clock + 1;
    this.pass(6, 0.8);
    const content = `[${blocks.join(",")}]`;
    const isEmpty = stopReason === "aborted" || stopReason === "error";
    const fresh = Math.max(0, this.contextBytes - this.cachedBytes) >> 2;
    const usage = this.makeUsage(
      isEmpty
        ? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
        : {
            input: model.prices.cacheWrite > 0 ? random.between(1, 12) : fresh,
            output: (content.length >> 2) + random.between(1, 300),
            cacheRead: Math.min(this.cachedBytes, this.contextBytes) >> 2,
            cacheWrite: model.prices.cacheWrite > 0 ? fresh : 0,
          },
    );
    let tail = `"stopReason":"${stopReason}","timestamp":${started}`;
    const isNew = session.layout === "v3";
    if (isNew && model.responseModel) tail += `,"responseModel":"${model.responseModel}"`;
    if (isNew && !isEmpty && random.chance(0.5)) tail += `,"responseId":"${this.makeId("msg_01", 22)}"`;
    if (isEmpty) tail += ',"errorMessage":"Request was aborted"';
    if (isNew && random.chance(0.3)) tail += `,"thinkingLevel":"medium"`;
    const attribution = attribute(model, isNew);
    session.append(
      "message",
      `"message":{"role":"assistant","content":${content},"api":"${model.api}","provider":"${model.provider}","model":"${model.id}","usage":${usage.json},${tail}}`,
      {
        attribution,
        activity: started,
        call: { ...attribution, ...usage.numbers, time: started, source: "assistant", tool: null, counted: false },
      },
    );
    this.contextBytes += content.length;
    this.cachedBytes = this.contextBytes;
  }

  /** Entries that stand in few turns each. */
  private addOccasional(): void {
    const { session, random } = this;
    this.pass(2, 0.5);
    const isNew = session.layout === "v3";
    switch (random.between(0, 59)) {
      case 0:
      case 1: {
        const target = session.entries[session.leaf]!;
        session.append("label", `"targetId":"${target.id}"${random.chance(0.8) ? ',"label":"keep"' : ""}`);
        return;
      }
      case 2:
      case 3: {
        const name = random.chance(0.9)
          ? `${random.pick(["Tide", "Buoy", "Größe", "漢字"])} work ${random.between(1, 99)}`
          : "";
        session.append("session_info", `"name":"${name}"`, { name });
        return;
      }
      case 4:
      case 5:
        // A decoy: data of an extension that looks like usage.
        session.append(
          "custom",
          `"customType":"meter","data":{"usage":{"input":5,"output":5,"cost":{"total":2.5}},"seen":${random.between(0, 99)}}`,
        );
        return;
      case 6:
        if (isNew) {
          const content = `"content":"${this.prose(200)}","display":true,"details":{"usage":{"cost":{"total":4}}}`;
          session.append("custom_message", `"customType":"reminder",${content}`);
        } else {
          const content = `"content":"${this.prose(200)}","display":true,"timestamp":${session.clock}`;
          session.append("message", `"message":{"role":"hookMessage","customType":"reminder",${content}}`);
        }
        return;
      case 7:
      case 8:
        if (isNew) this.warmCache();
        return;
      case 9:
        this.changeModel(random.pick(MODELS));
        return;
      case 10:
        session.append("thinking_level_change", `"thinkingLevel":"${random.pick(["off", "low", "high"])}"`);
        return;
      case 11: {
        const output = this.pools.code.piece(random, random.size(600, 1));
        session.append(
          "message",
          `"message":{"role":"bashExecution","command":"git status","output":"${output}","exitCode":0,"cancelled":false,"truncated":false,"timestamp":${session.clock}}`,
        );
        return;
      }
      case 12:
        if (isNew) {
          const target = session.entries[session.leaf]!;
          session.append("context_edit", `"targetId":"${target.id}","replacement":{"content":"[removed]"}`);
        }
        return;
      case 13:
        if (isNew) session.append("active_tools_change", '"activeToolNames":["read","bash","edit","write"]');
        return;
    }
  }

  private warmCache(): void {
    const { session, model } = this;
    const usage = this.makeUsage({ input: 0, output: 1, cacheRead: this.contextBytes >> 2, cacheWrite: 0 });
    session.append(
      "usage",
      `"kind":"cache_warm","provider":"${model.provider}","model":"${model.id}","usage":${usage.json}`,
      {
        call: {
          ...attribute(model, false),
          ...usage.numbers,
          time: session.clock,
          source: "usage:cache_warm",
          tool: null,
          counted: false,
        },
      },
    );
  }

  private changeModel(model: Model): void {
    this.model = model;
    this.cachedBytes = 0;
    this.session.append("model_change", `"provider":"${model.provider}","modelId":"${model.id}"`, {
      attribution: attribute(model, false),
    });
  }

  /** A call that names no model of its own: it belongs to the model in use on its path. */
  private makeNestedCall(source: string, tool: string | null, usage: MadeUsage): Call {
    const attribution = this.session.attribution;
    if (!attribution)
      throw new Error(`Cannot attribute usage of "${source}": no model before it in ${this.session.path}`);
    return { ...attribution, ...usage.numbers, time: this.session.clock, source, tool, counted: false };
  }

  private makeUsage(tokens: Tokens): MadeUsage {
    const { session, random } = this;
    const { prices } = this.model;
    const costs = {
      input: Math.round(tokens.input * prices.input),
      output: Math.round(tokens.output * prices.output),
      cacheRead: Math.round(tokens.cacheRead * prices.cacheRead),
      cacheWrite: Math.round(tokens.cacheWrite * prices.cacheWrite),
    };
    const costMicros = costs.input + costs.output + costs.cacheRead + costs.cacheWrite;
    const totalTokens = tokens.input + tokens.output + tokens.cacheRead + tokens.cacheWrite;
    const isOld = session.layout === "v1" || session.layout === "migrated";
    let json = `{"input":${tokens.input},"output":${tokens.output},"cacheRead":${tokens.cacheRead},"cacheWrite":${tokens.cacheWrite}`;
    if (!isOld) json += `,"totalTokens":${totalTokens}`;
    json += `,"cost":{"input":${costs.input / 1e6},"output":${costs.output / 1e6},"cacheRead":${costs.cacheRead / 1e6},"cacheWrite":${costs.cacheWrite / 1e6},"total":${costMicros / 1e6}}`;
    // Both are parts of a number before them, and must not be added again.
    if (session.layout === "v3" && tokens.cacheWrite > 0 && random.chance(0.2))
      json += `,"cacheWrite1h":${tokens.cacheWrite >> 1}`;
    if (session.layout === "v3" && tokens.output > 0 && random.chance(0.2))
      json += `,"reasoning":${tokens.output >> 1}`;
    return { json: `${json}}`, numbers: { ...tokens, totalTokens, costMicros } };
  }

  private thinking(): string {
    const text = this.prose(this.random.size(200, 0.8));
    const signature = this.model.provider === "anthropic" ? `,"thinkingSignature":"${this.base64(190)}"` : "";
    return `{"type":"thinking","thinking":"${text}"${signature}}`;
  }

  private toolCall(id: string, name: string, argumentsJson: string): string {
    return `{"type":"toolCall","id":"${id}","name":"${name}","arguments":{${argumentsJson}}}`;
  }

  private makeToolCallId(): string {
    return this.makeId("toolu_01", 22);
  }

  private makeId(prefix: string, length: number): string {
    let id = prefix;
    for (let index = 0; index < length; index++) id += BASE62[this.random.between(0, 61)];
    return id;
  }

  private prose(length: number): string {
    return this.pools.prose.piece(this.random, length);
  }

  private base64(length: number): string {
    return this.pools.base64.piece(this.random, length);
  }

  /** Lets about `seconds` go by, and at least two milliseconds, so that a call's start stands alone. */
  private pass(seconds: number, spread: number): void {
    this.session.clock += 2 + this.random.size(seconds * 1000, spread);
  }
}

interface MadeUsage {
  json: string;
  numbers: Omit<Sum, "calls">;
}

function attribute(model: Model, isAnswer: boolean): Attribution {
  return { provider: model.provider, model: `${model.provider}/${(isAnswer && model.responseModel) || model.id}` };
}

interface Tool {
  name: string;
  /** How often it is used, among the weights of all tools. */
  weight: number;
  seconds: number;
  /** Median size of what it prints. */
  bytes: number;
  makeArguments: (random: Random, pools: TextPools) => string;
  makeDetails?: (random: Random, pools: TextPools) => string;
}

const TOOLS: readonly Tool[] = [
  {
    name: "bash",
    weight: 45,
    seconds: 2,
    bytes: 400,
    makeArguments: (random) => `"command":"cd /home/u/work && npm test -- --grep \\"tide ${random.between(1, 99)}\\""`,
  },
  {
    name: "read",
    weight: 25,
    seconds: 0.1,
    bytes: 1100,
    makeArguments: (random) => `"path":"src/chart-${random.between(1, 99)}.ts","offset":${random.between(1, 900)}`,
  },
  {
    name: "edit",
    weight: 15,
    seconds: 0.1,
    bytes: 60,
    makeArguments: (random, pools) =>
      `"path":"src/chart.ts","oldText":"${pools.code.piece(random, 60)}","newText":"${pools.code.piece(random, 100)}"`,
    makeDetails: (random, pools) =>
      `{"diff":"${pools.code.piece(random, random.size(400, 0.8))}","firstChangedLine":${random.between(1, 900)}}`,
  },
  {
    name: "write",
    weight: 4,
    seconds: 0.1,
    bytes: 60,
    makeArguments: (random, pools) =>
      `"path":"src/new.ts","content":"${pools.code.piece(random, random.size(1000, 0.8))}"`,
  },
  {
    name: "grep",
    weight: 7,
    seconds: 0.5,
    bytes: 700,
    // A decoy: an argument of the name that usage has.
    makeArguments: (random) => `"pattern":"tide","usage":{"input":${random.between(1, 9)},"cost":{"total":3.25}}`,
  },
  {
    name: "subagent",
    weight: 4,
    seconds: 60,
    bytes: 900,
    makeArguments: (random, pools) => `"agent":"scout","task":"${pools.prose.piece(random, 200)}"`,
    // Decoys again: how an extension reports what its agents used. What counts is the message's own usage.
    makeDetails: (random) =>
      `{"mode":"single","results":[{"agent":"scout","exitCode":0,"usage":{"input":${random.between(1, 999)},"output":9,"cacheRead":0,"cacheWrite":0,"cost":0.75,"contextTokens":0,"turns":2}}],"usage":{"cost":{"total":0.75}}}`,
  },
];

const TOOL_WEIGHTS = TOOLS.reduce((sum, tool) => sum + tool.weight, 0);

function pickTool(random: Random): Tool {
  let weight = random.fraction() * TOOL_WEIGHTS;
  for (const tool of TOOLS) if ((weight -= tool.weight) < 0) return tool;
  return TOOLS[0]!;
}
