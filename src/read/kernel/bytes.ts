/** Characters of JSON, as their bytes. */
export const NEWLINE: u32 = 0x0a;
export const SPACE: u32 = 0x20;
export const QUOTE: u32 = 0x22;
export const PLUS: u32 = 0x2b;
export const COMMA: u32 = 0x2c;
export const MINUS: u32 = 0x2d;
export const DOT: u32 = 0x2e;
export const SLASH: u32 = 0x2f;
export const ZERO: u32 = 0x30;
export const COLON: u32 = 0x3a;
export const UPPER_T: u32 = 0x54;
export const UPPER_Z: u32 = 0x5a;
export const OPEN_BRACKET: u32 = 0x5b;
export const BACKSLASH: u32 = 0x5c;
export const LOWER_A: u32 = 0x61;
export const LOWER_B: u32 = 0x62;
export const LOWER_E: u32 = 0x65;
export const LOWER_F: u32 = 0x66;
export const LOWER_L: u32 = 0x6c;
export const LOWER_N: u32 = 0x6e;
export const LOWER_R: u32 = 0x72;
export const LOWER_T: u32 = 0x74;
export const LOWER_U: u32 = 0x75;
export const OPEN_BRACE: u32 = 0x7b;
export const CLOSE_BRACE: u32 = 0x7d;

export function isDigit(byte: u32): bool {
  return byte - ZERO < 10;
}
