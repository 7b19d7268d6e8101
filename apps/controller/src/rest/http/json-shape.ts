/** How large a JSON text is, before anything is parsed. */

/** How large a JSON text is, before anything is parsed. */
export interface JsonShape {
  /** Lists and objects within one another, the outermost included. */
  readonly depth: number;
  /** Members of lists and objects; an empty one counts as well. */
  readonly values: number;
}

const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Counts in one pass; a text that is no JSON has some shape too (RFC 8259, section 2, names the characters). Pure. */
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

/** Where the quote is that ends a string. */
function endOfString(text: string, from: number): number {
  let i = from;
  for (let char = text.charCodeAt(i); i < text.length && char !== quote; char = text.charCodeAt(i))
    i += char === backslash ? 2 : 1;
  return i;
}

/**
 * The first name that stands twice in one object of a JSON text, with the way to it (`['Options', 'Headers', 'a']`);
 * undefined: none does. `text` must be valid JSON. RFC 8259, section 4, calls the meaning of such an object
 * unpredictable: parsers keep the first or the last value.
 */
export function repeatedKey(text: string): readonly string[] | undefined {
  const open: Level[] = [];
  const token = /"(?:[^"\\]|\\.)*"|[{}[\],]/g;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [found] = match;
    const level = open.at(-1);
    switch (found) {
      case '{':
        open.push({ names: new Set(), name: '', expectsName: true });
        break;
      case '[':
        open.push({ names: undefined, name: '0', expectsName: false });
        break;
      case '}':
      case ']':
        open.pop();
        break;
      case ',':
        if (level?.names === undefined) {
          if (level !== undefined) level.name = String(Number(level.name) + 1);
        } else level.expectsName = true;
        break;
      default: {
        if (level?.names === undefined || !level.expectsName) break;
        level.name = String(JSON.parse(found)); // "a" and "\u0061" are one name
        level.expectsName = false;
        if (level.names.has(level.name)) return open.map(({ name }) => name);
        level.names.add(level.name);
      }
    }
  }
  return undefined;
}

interface Level {
  /** The names of an object so far; undefined: it is a list. */
  readonly names: Set<string> | undefined;
  /** The member that is being read: its name, or its place in a list. */
  name: string;
  expectsName: boolean;
}
