import { numberOf } from '../values.ts';

/** Words of a command line, with quotes as a shell reads them. */
export function shellWords(line: string): string[] {
  const words = line.match(/(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\])+/g) ?? [];
  return words.map((word) =>
    word.replaceAll(
      /"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)/g,
      (_, double: string | undefined, single: string | undefined, sign: string | undefined) =>
        double === undefined ? (single ?? sign ?? '') : double.replaceAll(/\\(.)/g, '$1'),
    ),
  );
}

/** Arguments of a plugin by their letter or long name; a flag without a value has ''. */
export interface PluginArguments {
  /** The first value of any of these names. */
  readonly value: (...names: string[]) => string | undefined;
  readonly has: (...names: string[]) => boolean;
  /** Every value of a name that may stand several times. */
  readonly values: (...names: string[]) => readonly string[];
  /** Words that belong to no argument. */
  readonly free: readonly string[];
  readonly names: readonly string[];
}

/** Reads arguments; `flags` are the ones without a value. */
export function readArguments(words: readonly string[], flags: readonly string[]): PluginArguments {
  const found: { readonly name: string; readonly value: string }[] = [];
  const free: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const next = words[at + 1];
    const long = /^--([a-z][a-z0-9-]*)(?:=(.*))?$/is.exec(word);
    const short = long === null ? /^-([A-Za-z0-9])(.*)$/s.exec(word) : null;
    const name = long?.[1] ?? short?.[1];
    if (name === undefined) {
      free.push(word);
      continue;
    }
    const joined = long === null ? short?.[2] || undefined : long[2];
    if (flags.includes(name)) found.push({ name, value: joined ?? '' });
    else if (joined !== undefined) found.push({ name, value: joined.replace(/^=/, '') });
    else if (next === undefined || /^-[A-Za-z-]/.test(next)) found.push({ name, value: '' });
    else {
      found.push({ name, value: next });
      at += 1;
    }
  }
  return {
    free,
    names: found.map(({ name }) => name),
    has: (...names) => found.some(({ name }) => names.includes(name)),
    values: (...names) => found.filter(({ name }) => names.includes(name)).map(({ value }) => value),
    value: (...names) => found.find(({ name, value }) => names.includes(name) && value !== '')?.value,
  };
}

/** Seconds of a plugin's limit as whole milliseconds, within what the Options take. */
export function milliseconds(text: string | undefined): number | undefined {
  const seconds = numberOf(text);
  return seconds === undefined || seconds <= 0
    ? undefined
    : Math.min(120_000, Math.max(1, Math.round(seconds * 1000)));
}
