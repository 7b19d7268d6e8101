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
