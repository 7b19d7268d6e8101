// A guest may read only the files of this folder, so this file imports no package.

/** The limit of a line between the agent, its spawner and a guest. */
export const maxLineBytes = 8 * 1024 * 1024;

/**
 * Splits a stream of UTF-8 bytes into lines without their `\n`. After a line over `maxBytes`, it calls `onTooLong` once
 * and then ignores the stream. Returns the function that takes the chunks.
 */
export function createLineSplitter(
  maxBytes: number,
  onLine: (line: string) => void,
  onTooLong: () => void,
): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let length = 0;
  let over = false;
  return (chunk) => {
    let rest = chunk;
    while (!over) {
      const end = rest.indexOf(0x0a);
      length += end < 0 ? rest.length : end;
      if (length > maxBytes) {
        over = true;
        parts = [];
        onTooLong();
        return;
      }
      if (end < 0) {
        if (rest.length > 0) parts.push(rest);
        return;
      }
      parts.push(rest.subarray(0, end));
      const line = Buffer.concat(parts).toString('utf8');
      parts = [];
      length = 0;
      rest = rest.subarray(end + 1);
      onLine(line);
    }
  };
}

/** Splits words off the start of a line: `cutWords('7 line {"a": 1}', 2)` is `['7', 'line', '{"a": 1}']`. */
export function cutWords(line: string, words: number): readonly string[] {
  const found: string[] = [];
  let from = 0;
  while (found.length < words) {
    const blank = line.indexOf(' ', from);
    if (blank < 0) break;
    found.push(line.slice(from, blank));
    from = blank + 1;
  }
  return [...found, line.slice(from)];
}
