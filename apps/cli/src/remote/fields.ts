import { type Json, mebibyte } from '@vantage/domain';
import { Fault } from '@vantage/kernel';

const longest = mebibyte;

/**
 * The body of a request from arguments `Name=value`: `Frequency=1`, `Options.Count=3`, `Tags=["a"]`. A value that is
 * JSON counts as JSON, any other one as text; the API judges both. Throws a Fault for an argument without `=`. Pure.
 */
export function bodyOf(given: readonly string[]): { readonly [key: string]: Json } {
  const body: Record<string, Json> = {};
  for (const argument of given) {
    const at = argument.indexOf('=');
    if (at <= 0 || argument.length > longest)
      throw new Fault(
        'stop',
        'settings',
        `${argument.slice(0, 60)} is no Name=value, for example Frequency=1`,
      );
    put(body, argument.slice(0, at).split('.'), parseValue(argument.slice(at + 1)));
  }
  return body;
}

/** The query of a request from arguments `Name=value`. Throws a Fault for an argument without `=`. Pure. */
export function queryOf(given: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(bodyOf(given)).map(([name, value]) => [
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
  const next: Record<string, Json> = isObject(inner) ? { ...inner } : {};
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

function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
