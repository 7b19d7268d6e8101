import { numberOf } from '../values/unknown-values.ts';

const maxOptionMs = 120_000;

/** The words of a command line, with quotes and backslashes as a shell reads them. */
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

/** Arguments of a plugin by their letter or long name. A flag has the value ''. */
export interface PluginArguments {
  /** The first value that is not empty, under any of these names. */
  readonly value: (...names: string[]) => string | undefined;
  readonly has: (...names: string[]) => boolean;
  /** All values, of an argument that may be repeated. */
  readonly values: (...names: string[]) => readonly string[];
  /** Words that belong to no argument. */
  readonly free: readonly string[];
}

/** Reads arguments. `flags` are those without a value. */
export function readArguments(words: readonly string[], flags: readonly string[]): PluginArguments {
  const found: { readonly name: string; readonly value: string }[] = [];
  const free: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    const next = words[index + 1];
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
      index += 1;
    }
  }
  return {
    free,
    has: (...names) => found.some(({ name }) => names.includes(name)),
    values: (...names) => found.filter(({ name }) => names.includes(name)).map(({ value }) => value),
    value: (...names) => found.find(({ name, value }) => names.includes(name) && value !== '')?.value,
  };
}

/** Options.IPFamily by the flags `-4` and `-6`. */
export function ipFamily(args: PluginArguments): string | undefined {
  if (args.has('4')) return '4';
  return args.has('6') ? '6' : undefined;
}

/** Seconds of a plugin as whole milliseconds, within the limits of the Options. */
export function milliseconds(text: string | undefined): number | undefined {
  const seconds = numberOf(text);
  return seconds === undefined || seconds <= 0
    ? undefined
    : Math.min(maxOptionMs, Math.max(1, Math.round(seconds * 1000)));
}
