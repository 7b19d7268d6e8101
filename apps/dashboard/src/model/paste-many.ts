import { type Guess, guessMethod } from './guess-method.ts';

/** A device that a line asks for. */
export interface PastedLine {
  /** As it was pasted. */
  readonly text: string;
  readonly guess: Guess;
  readonly name: string;
  readonly tags: readonly string[];
}

/** The lines that ask for a device, and how many repeat an earlier address. */
export interface Pasted {
  readonly lines: readonly PastedLine[];
  readonly repeated: number;
}

/** Most lines of one paste: what a person looks through. */
export const mostLines = 1_000;

/**
 * Reads `address`, or `address; name; tag, tag`, from each line; a tab separates like a semicolon. Empty lines, and
 * those that begin with `#`, are left out. What comes after 1,000 lines is not read.
 */
export function parsePasted(text: string): Pasted {
  const lines: PastedLine[] = [];
  const seen = new Set<string>();
  let repeated = 0;
  for (const line of text.split(/\r?\n/, mostLines)) {
    const [address = '', name = '', tags = ''] = line.split(/[;\t]/).map((part) => part.trim());
    const guess = address.startsWith('#') ? undefined : guessMethod(address);
    if (guess === undefined) continue;
    const key = `${guess.method} ${guess.url}`;
    if (seen.has(key)) {
      repeated += 1;
      continue;
    }
    seen.add(key);
    const names = tags.split(',').map((tag) => tag.trim());
    const own = [...new Set(names.filter((tag) => tag !== ''))];
    lines.push({ text: line, guess, name: name === '' ? guess.fullName : name, tags: own });
  }
  return { lines, repeated };
}
