/**
 * Text out of sessions is hostile: it can move the cursor, recolour or rename the terminal, show its characters in another
 * order than they stand in, or hide some. Whatever is printed for people goes through here first.
 */

const ESC = "\u001b";
const BELL = "\u0007";
const STRING_END = "\u009c";
const STRING_STARTS = "\u0090\u0098\u009d-\u009f";

/** Sequences that a terminal acts on, from their introducer to their end. One without an end loses the introducer only. */
const ESCAPE_SEQUENCE = [
  // CSI: colours, cursor, screen.
  `(?:${ESC}\\[|\u009b)[0-?]*[ -/]*[@-~]`,
  // OSC, DCS, SOS, PM, APC: titles, links, clipboard. Not past a line's end, so that none can hide a whole text, and not past the
  // start of another, so that no part of the text is looked at twice.
  `(?:${ESC}[\\]PX^_]|[${STRING_STARTS}])[^${ESC}${BELL}${STRING_END}${STRING_STARTS}\\n\\r]*(?:${BELL}|${STRING_END}|${ESC}\\\\)`,
  `${ESC}[ -/]*[0-~]`,
].join("|");

/** Characters without a shape of their own: soft hyphen, zero-width spaces, bidi marks, overrides and isolates, annotations, tags. */
const INVISIBLE =
  "[\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]";

const HOSTILE = new RegExp(`${ESCAPE_SEQUENCE}|${INVISIBLE}|\\r\\n|[\\p{Cc}\\p{Cs}\\u2028\\u2029]`, "gu");

/**
 * Text of several lines, safe to print: escape sequences and invisible characters are dropped, every line end is `\n`, tabs stay,
 * and other control characters become visible (`␛`, `␈`; U+FFFD where there is no picture). Linear in the text.
 */
export function bodyText(text: string): string {
  return text.replace(HOSTILE, (found) => (found.length > 1 && found !== "\r\n" ? "" : harmlessCharacter(found)));
}

/** Text for one cell or one line, safe to print: as `bodyText`, with each run of white space, line ends included, as one space. */
export function cellText(text: string): string {
  return bodyText(text).replace(/\s+/g, " ").trim();
}

function harmlessCharacter(character: string): string {
  switch (character) {
    case "\t":
      return character;
    case "\r\n":
    case "\n":
    case "\u0085":
    case "\u2028":
    case "\u2029":
      return "\n";
  }
  const code = character.codePointAt(0)!;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  const isControl = code < 0xa0 && code !== 0xad;
  return isControl || (code >= 0xd800 && code <= 0xdfff) ? "\ufffd" : "";
}
