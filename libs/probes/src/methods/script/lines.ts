/**
 * The longest line between the agent, its spawner and a script's guest; bytes. The guest may read the files of its own
 * folder only, so this one imports no package.
 */
export const longestLine = 8 * 1024 * 1024;

/**
 * Cuts a stream of UTF-8 bytes into lines without their `\n`. A line over `maxBytes` ends it: `onTooLong` is called
 * once and nothing after it. Returns the function that takes the chunks.
 */
export function createLineSplitter(
  maxBytes: number,
  onLine: (line: string) => void,
  onTooLong: () => void,
): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let held = 0;
  let over = false;
  return (chunk) => {
    let rest = chunk;
    while (!over) {
      const end = rest.indexOf(0x0a);
      held += end < 0 ? rest.length : end;
      if (held > maxBytes) {
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
      held = 0;
      rest = rest.subarray(end + 1);
      onLine(line);
    }
  };
}

/** The words before the last part of a line: `cutWords('7 line {"a": 1}', 2)` is `['7', 'line', '{"a": 1}']`. */
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
