const PRINTABLE_ASCII = /^[ -~]*$/;
const EMOJI = /\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|[0-9#*]\ufe0f\u20e3/u;
const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]$/u;
/** East Asian wide and full-width characters (Unicode Standard Annex 11), by their blocks. */
const WIDE =
  /^[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]$/u;

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The columns that a text without control characters takes on a terminal. */
export function displayWidth(text: string): number {
  if (PRINTABLE_ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment);
  return width;
}

/**
 * The text, if it fits into `width` columns; else its beginning (or, to keep "end", its end) and a `…` in place of the rest.
 * Never cuts within a character as people see it.
 */
export function cutToWidth(text: string, width: number, keep: "start" | "end" = "start"): string {
  if (displayWidth(text) <= width) return text;
  const segments = Array.from(graphemes.segment(text), ({ segment }) => segment);
  if (keep === "end") segments.reverse();
  const kept: string[] = [];
  let room = width - 1;
  for (const segment of segments) {
    room -= graphemeWidth(segment);
    if (room < 0) break;
    kept.push(segment);
  }
  return keep === "end" ? `…${kept.reverse().join("")}` : `${kept.join("").trimEnd()}…`;
}

function graphemeWidth(grapheme: string): number {
  if (EMOJI.test(grapheme)) return 2;
  let width = 0;
  for (const character of grapheme) {
    if (NO_WIDTH.test(character)) continue;
    width += WIDE.test(character) ? 2 : 1;
  }
  return width;
}
