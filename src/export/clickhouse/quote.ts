/** Characters that ClickHouse spells with a backslash, in literals and quoted names as in TabSeparated. */
const escapes: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "'": "\\'",
  "`": "\\`",
  "\0": "\\0",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\f": "\\f",
  "\r": "\\r",
};

const TEXT = /[\\'\0\b\t\n\f\r]/g;
const NAME = /[\\`\0\b\t\n\f\r]/g;
const CELL = /[\\\0\b\t\n\f\r]/;
/** The backslash first: it stands in what the others become. */
const CELL_CHARACTERS = ["\\", "\0", "\b", "\t", "\n", "\f", "\r"];

/** A string literal. Old servers take no query parameters, so that this is the one way for values into a statement. */
export function quoteText(text: string): string {
  return `'${text.replace(TEXT, escapeCharacter)}'`;
}

/** The name of a database, table or column, whatever it holds. */
export function quoteName(name: string): string {
  return `\`${name.replace(NAME, escapeCharacter)}\``;
}

/** A cell of the format TabSeparated. */
export function escapeCell(text: string): string {
  if (!CELL.test(text)) return text;
  let escaped = text;
  for (const character of CELL_CHARACTERS) escaped = escaped.replaceAll(character, escapes[character]!);
  return escaped;
}

function escapeCharacter(character: string): string {
  return escapes[character]!;
}
