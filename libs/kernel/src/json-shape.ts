/** The size of a JSON text, known before it is parsed. */
export interface JsonShape {
  /** Levels of nested lists and objects, the outermost included. */
  readonly depth: number;
  /** Members of lists and objects; an empty list or object counts as one. */
  readonly values: number;
}

const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Counts structural characters (RFC 8259, section 2) in one pass. A text that is no JSON has some shape too. Pure. */
export function jsonShape(text: string): JsonShape {
  let depth = 0;
  let level = 0;
  let values = 0;
  for (let i = 0; i < text.length; i += 1) {
    switch (text.charCodeAt(i)) {
      case quote:
        i = endOfString(text, i + 1);
        break;
      case openBrace:
      case openBracket:
        values += 1;
        level += 1;
        if (level > depth) depth = level;
        break;
      case closeBrace:
      case closeBracket:
        level -= 1;
        break;
      case comma:
        values += 1;
    }
  }
  return { depth, values };
}

/** The index of the quote that ends a string. */
function endOfString(text: string, from: number): number {
  let i = from;
  for (let char = text.charCodeAt(i); i < text.length && char !== quote; char = text.charCodeAt(i))
    i += char === backslash ? 2 : 1;
  return i;
}
