import { boundedText, type Clock } from '@vantage/kernel';
import { quoteShort } from '../contract/display.ts';
import { regexProblem } from './compile-regex.ts';
import { notSearched, searchText, textSearch } from './text-search.ts';

/** Bytes in an Option, as pairs of hexadecimal digits. */
export const hexText = boundedText(16_384).regex(
  /^\s*([0-9a-fA-F]{2}\s*)+$/,
  'must be pairs of hexadecimal digits such as 0d 0a',
);

/** A regular expression in an Option. */
export const regexText = boundedText(1000, 1).refine(
  (pattern) => regexProblem(pattern) === undefined,
  'must be a regular expression such as ^OK',
);

export function fromHex(text: string): Buffer {
  return Buffer.from(text.replace(/\s+/g, ''), 'hex');
}

/** The time of all searches for one pattern, milliseconds. */
const maxSearchMs = 1000;

/** An expectation of the bytes of an answer. */
export interface ExpectedBytes {
  /** For people: `"220"`, `hex 0d 0a`, `/^OK/`. */
  readonly shown: string;
  /** The index after the match; undefined if there is none. Throws a Failure if the search takes too long. */
  find(bytes: Buffer): Promise<number | undefined>;
}

/** The expectation of an answer by one of text, hexadecimal bytes and regular expression; undefined: there is none. */
export function expectedBytes(
  {
    text,
    hex,
    regex,
  }: {
    readonly text?: string | undefined;
    readonly hex?: string | undefined;
    readonly regex?: string | undefined;
  },
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): ExpectedBytes | undefined {
  const containing = (shown: string, pattern: Buffer): ExpectedBytes => ({
    shown,
    async find(bytes) {
      const found = await searchText(bytes.toString('latin1'), pattern.toString('latin1'), signal);
      if (found.kind === 'match') return found.index + found.length;
      if (found.kind === 'none') return undefined;
      throw notSearched(found, shown, 'answer');
    },
  });
  if (text !== undefined) return containing(quoteShort(text), Buffer.from(text, 'utf8'));
  if (hex !== undefined) return containing(`hex ${hex}`, fromHex(hex));
  if (regex === undefined) return undefined;
  let searchedMs = 0;
  return {
    shown: `/${regex}/`,
    async find(bytes) {
      const startedMs = clock.monoMs();
      const text = bytes.toString('latin1');
      const found = await textSearch.run({ kind: 'regex', pattern: regex, text }, signal);
      if (found.kind === 'match') return found.index + found.length;
      searchedMs += clock.monoMs() - startedMs;
      if (found.kind !== 'none') throw notSearched(found, `/${regex}/`, 'answer');
      // An answer that arrives byte by byte is searched many times.
      if (searchedMs > maxSearchMs) throw notSearched({ kind: 'runaway' }, `/${regex}/`, 'answer');
      return undefined;
    },
  };
}
