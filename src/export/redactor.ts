import { createRequire } from "node:module";
import { isJsonObject } from "../format/json.js";
import { credentialPatterns } from "./credential-patterns.js";
import { missingPackageError } from "./missing-package.js";

const PACKAGE = "@secretlint/secretlint-rule-preset-recommend";

/** No credential that any rule knows is shorter. */
const MIN_UNITS = 12;

/** A longer string is no value that only its name tells from ordinary text. */
const MAX_NAMED_UNITS = 1000;

/** Texts are looked through in windows, as the rules are not made for texts of any size, each with the beginning of the next one, which no credential is longer than. */
const WINDOW_UNITS = 256 * 1024;
const OVERLAP_UNITS = 32 * 1024;

/** How far back the last word of a text is looked for that was cut off. */
const MAX_WORD_UNITS = 4096;

/** What a text ends in that was cut: an ellipsis, or in the middle of joined ones also its length. */
const CUT = /…(?:$|\[\d+ bytes\])/g;

/** What is asked of rules beside their defaults. */
const ruleOptions: Readonly<Record<string, unknown>> = {
  "@secretlint/secretlint-rule-aws": { enableIDScanRule: true },
};

/** Files that rules look at in a way of their own. */
const ruleFiles: Readonly<Record<string, string>> = {
  "@secretlint/secretlint-rule-npm": ".npmrc",
};

/** As far as rules of secretlint are used here. */
interface Rule {
  meta: { id: string; type: string };
  messages: object;
  create(context: RuleContext, options: unknown): { file?(source: RuleSource): unknown };
}

interface RuleContext {
  sharedOptions: object;
  createTranslator(messages: object): (id: string, values?: Record<string, unknown>) => RuleMessage;
  report(finding: { message: RuleMessage; range: readonly [number, number] }): void;
  ignore(): void;
}

interface RuleMessage {
  messageId: string;
  values: Record<string, unknown>;
}

/** As rules are given a text. */
interface RuleSource {
  content: string;
  filePath: string;
  ext: string;
  contentType: "text";
}

interface Finding {
  start: number;
  end: number;
  kind: string;
}

/**
 * Puts markers, as in `[redacted: github-token]`, in place of credentials, by the recommended rules of secretlint and some patterns beside them. Time grows with the length of
 * the text; memory with the number of credentials in it.
 *
 * The rules are run without secretlint's own engine, which is asynchronous, compares all findings with each other, and lets comments in a text switch rules off.
 */
export class Redactor {
  readonly #checks: ((text: string) => void)[];
  /** What the rules are looking at, and where in the text it begins. */
  #window = { text: "", start: 0 };
  #findings: Finding[] = [];

  /** @throws ExportError when the rules are not installed. */
  constructor() {
    const context: RuleContext = {
      sharedOptions: {},
      createTranslator:
        () =>
        (messageId, values = {}) => ({ messageId, values }),
      report: ({ message, range }) => this.#report(message, range),
      ignore: () => {},
    };
    this.#checks = loadRules()
      .filter(({ meta }) => meta.type === "scanner")
      .flatMap((rule) => {
        const { id } = rule.meta;
        const handler = rule.create(context, ruleOptions[id] ?? {});
        const filePaths = ["", ...(ruleFiles[id] ? [ruleFiles[id]] : [])];
        return filePaths.map((filePath) => (content: string) => {
          handler.file?.({ content, filePath, ext: "", contentType: "text" });
        });
      });
  }

  /** A text without its credentials. Where it was cut, which "…" tells, the word before goes, too: it could be the beginning of one. */
  readonly redact = (text: string): string => {
    if (text.length < MIN_UNITS) return text;
    return replaceFindings(text, this.#find(text));
  };

  /** A value as JSON without its credentials; undefined for what JSON does not have. Members also count by their name, as in `{"_authToken": …}`. */
  readonly redactJson = (value: unknown): string | undefined =>
    JSON.stringify(value, (name, member: unknown) => {
      if (typeof member === "string") return this.#redactNamed(name, member);
      if (!isJsonObject(member)) return member;
      return Object.fromEntries(Object.entries(member).map(([name, value]) => [this.redact(name), value]));
    });

  #redactNamed(name: string, text: string): string {
    const redacted = this.redact(text);
    if (name === "" || text.length < MIN_UNITS || text.length > MAX_NAMED_UNITS || redacted !== text) return redacted;
    const prefix = `${name}=`;
    const findings = this.#find(prefix + text)
      .filter(({ end }) => end > prefix.length)
      .map(({ start, end, kind }) => ({ start: Math.max(0, start - prefix.length), end: end - prefix.length, kind }));
    return replaceFindings(text, findings);
  }

  /** In the order of their beginnings. */
  #find(text: string): Finding[] {
    this.#findings = [];
    for (let start = 0; start === 0 || start + OVERLAP_UNITS < text.length; start += WINDOW_UNITS) {
      this.#window = { text: text.slice(start, start + WINDOW_UNITS + OVERLAP_UNITS), start };
      for (const check of this.#checks) check(this.#window.text);
      for (const [kind, pattern] of credentialPatterns) {
        for (const { 0: match, index } of this.#window.text.matchAll(pattern)) this.#add(kind, index, match.length);
      }
    }
    this.#window = { text, start: 0 };
    for (const { index } of text.matchAll(CUT)) {
      const start = wordStart(text, index);
      if (index - start >= MIN_UNITS) this.#add("cut-off", start, index - start);
    }
    const findings = this.#findings.sort((one, other) => one.start - other.start || other.end - one.end);
    this.#window = { text: "", start: 0 };
    this.#findings = [];
    return findings;
  }

  /** Rules tell a range, but some begin it where the name of the credential does: what they quote in their message is the credential. */
  #report({ messageId, values }: RuleMessage, [start, end]: readonly [number, number]): void {
    const { text } = this.#window;
    const length = end - start;
    const quoted = Object.values(values).find((value) => typeof value === "string" && value.length >= length) as
      | string
      | undefined;
    const at = quoted === undefined ? -1 : text.indexOf(quoted, start);
    if (at === -1) this.#add(kindOf(messageId), start, length);
    else this.#add(kindOf(messageId), at, quoted!.length);
  }

  /** `at` is a place in the window. */
  #add(kind: string, at: number, length: number): void {
    const start = this.#window.start + at;
    if (length > 0) this.#findings.push({ kind, start, end: start + length });
  }
}

/**
 * What redacted rows depend on, for comparison: the release of the rules, and what is asked of them and looked for beside.
 *
 * @throws ExportError when the rules are not installed.
 */
export function redactionSettings(): object {
  const { version } = load<{ version: string }>(`${PACKAGE}/package.json`);
  return { version, ruleOptions, ruleFiles, patterns: credentialPatterns.map(([kind, { source }]) => [kind, source]) };
}

function loadRules(): Rule[] {
  return load<{ rules: Rule[] }>(PACKAGE).rules;
}

function load<Module>(name: string): Module {
  try {
    return createRequire(import.meta.url)(name) as Module;
  } catch (cause) {
    throw missingPackageError("Cannot redact", `${PACKAGE}@11`, cause);
  }
}

/** `GITHUB_TOKEN` and `MySQLConnection` as `github-token` and `mysql-connection`. */
function kindOf(messageId: string): string {
  return messageId
    .replace(/SQL|DB/, (name) => name.toLowerCase())
    .replaceAll(/([a-z])([A-Z])|([A-Z])([A-Z][a-z])/g, "$1$3-$2$4")
    .replaceAll("_", "-")
    .toLowerCase();
}

/** Where the word begins that ends at a place. */
function wordStart(text: string, end: number): number {
  let start = end;
  const least = Math.max(0, end - MAX_WORD_UNITS);
  while (start > least && !/\s/.test(text[start - 1]!)) start--;
  return start;
}

/** Findings come in the order of their beginnings; of those that overlap, the first names the kind. */
function replaceFindings(text: string, findings: readonly Finding[]): string {
  if (findings.length === 0) return text;
  let redacted = "";
  let end = 0;
  for (const finding of findings) {
    if (finding.start >= end) redacted += `${text.slice(end, finding.start)}[redacted: ${finding.kind}]`;
    end = Math.max(end, finding.end);
  }
  return redacted + text.slice(end);
}
