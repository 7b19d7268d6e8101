/** The lines that both sides sent on a connection, bounded, for the diagnostics of a failure. */
export interface Transcript {
  /** A line or bytes that we sent (`shown` with secrets masked) or got. */
  add(side: '>' | '<', shown: string): void;
  /** The lines, `> ` ours and `< ` theirs; a long one lacks its middle and has a mark there. */
  lines(): readonly string[];
}

const maxLines = 200;
const keptAtEnd = 100;
const longestLine = 512;

/** Creates an empty transcript; it never holds more than 200 lines of 512 characters. */
export function createTranscript(): Transcript {
  const head: string[] = [];
  const tail: string[] = [];
  let omitted = 0;
  return {
    add(side, shown) {
      const cut = shown.length > longestLine ? `${shown.slice(0, longestLine)}…` : shown;
      const line = `${side} ${printable(cut)}`;
      if (head.length < maxLines - keptAtEnd) {
        head.push(line);
        return;
      }
      tail.push(line);
      if (tail.length > keptAtEnd) {
        tail.shift();
        omitted += 1;
      }
    },
    lines: () => (omitted === 0 ? [...head, ...tail] : [...head, `… ${omitted} lines left out …`, ...tail]),
  };
}

const known: Readonly<Record<string, string>> = { '\r': '\\r', '\n': '\\n', '\t': '\\t' };

/** A text with control characters as `\r`, `\n`, `\t` or `\xNN`, so that it can stand in a log or a terminal. */
export function printable(text: string): string {
  return text.replace(
    /\p{Cc}/gu,
    (each) => known[each] ?? `\\x${each.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}

/** A piece of a foreign text for a message: quoted, printable, at most `max` characters. */
export function quoteShort(text: string, max = 100): string {
  const flat = printable(text.trimEnd());
  return `"${flat.length > max ? `${flat.slice(0, max)}…` : flat}"`;
}
