import { printable } from '../contract/display.ts';

/** The lines that both sides sent on a connection, for the diagnostics of a failure. */
interface Transcript {
  /** Adds a sent (`>`) or received (`<`) line or bytes, with secrets masked. */
  add(side: '>' | '<', shown: string): void;
  /** The lines with their side. A long transcript lacks its middle, and says so there. */
  lines(): readonly string[];
}

const maxLines = 200;
const maxTailLines = 100;
const maxLineLength = 512;

/** The transcript has at most 200 lines of 512 characters. */
export function createTranscript(): Transcript {
  const head: string[] = [];
  const tail: string[] = [];
  let omitted = 0;
  return {
    add(side, shown) {
      const cut = shown.length > maxLineLength ? `${shown.slice(0, maxLineLength)}…` : shown;
      const line = `${side} ${printable(cut)}`;
      if (head.length < maxLines - maxTailLines) {
        head.push(line);
        return;
      }
      tail.push(line);
      if (tail.length > maxTailLines) {
        tail.shift();
        omitted += 1;
      }
    },
    lines: () => (omitted === 0 ? [...head, ...tail] : [...head, `… ${omitted} lines left out …`, ...tail]),
  };
}
