/**
 * The path of the first name that occurs twice in one object of a JSON text, such as `['Options', 'Headers', 'a']`;
 * undefined: every name is unique. `text` must be valid JSON. RFC 8259, section 4, calls the meaning of such an object
 * unpredictable: parsers keep the first or the last value.
 */
export function repeatedKey(text: string): readonly string[] | undefined {
  const open: OpenValue[] = [];
  const token = /"(?:[^"\\]|\\.)*"|[{}[\],]/g;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [symbol] = match;
    const current = open.at(-1);
    switch (symbol) {
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
        if (current?.names === undefined) {
          if (current !== undefined) current.name = String(Number(current.name) + 1);
        } else current.expectsName = true;
        break;
      default: {
        if (current?.names === undefined || !current.expectsName) break;
        current.name = String(JSON.parse(symbol)); // "a" and "\u0061" are one name
        current.expectsName = false;
        if (current.names.has(current.name)) return open.map(({ name }) => name);
        current.names.add(current.name);
      }
    }
  }
  return undefined;
}

/** An object or a list that is being read. */
interface OpenValue {
  /** The names of an object so far; undefined: it is a list. */
  readonly names: Set<string> | undefined;
  /** The name, or the index, of the member that is being read. */
  name: string;
  expectsName: boolean;
}
