import { type Json, mebibyte } from '@vantage/domain';
import { Fault, isRecord } from '@vantage/kernel';

const maxLength = mebibyte;

/**
 * The body of a request from arguments `Name=value`: `Frequency=1`, `Options.Count=3`, `Tags=["a"]`. A value that
 * looks like JSON is parsed; any other value is text. Throws a Fault for an argument without `=`. Pure.
 */
export function bodyOf(args: readonly string[]): { readonly [key: string]: Json } {
  const body: Record<string, Json> = {};
  for (const argument of args) {
    const at = argument.indexOf('=');
    if (at <= 0 || argument.length > maxLength)
      throw new Fault(
        'stop',
        'settings',
        `${argument.slice(0, 60)} is not Name=value, for example Frequency=1`,
      );
    put(body, argument.slice(0, at).split('.'), parseValue(argument.slice(at + 1)));
  }
  return body;
}

/** The query of a request from arguments `Name=value`. Throws a Fault for an argument without `=`. Pure. */
export function queryOf(args: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(bodyOf(args)).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
}

function put(body: Record<string, Json>, [first = '', ...rest]: readonly string[], value: Json): void {
  if (rest.length === 0) {
    body[first] = value;
    return;
  }
  const inner = body[first];
  const next: Record<string, Json> = isRecord(inner) ? { ...inner } : {};
  put(next, rest, value);
  body[first] = next;
}

function parseValue(text: string): Json {
  if (!/^(?:[[{"]|true$|false$|null$|-?\d)/.test(text)) return text;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
