import type { JsonValue } from '@bufbuild/protobuf';

const reference = /\$\{secret:([A-Za-z0-9_.-]{1,100})\}/g;

/** Names of the account's secrets that a value refers to by `${secret:NAME}`, wherever in it. Pure. */
export function secretNames(value: JsonValue): Set<string> {
  const names = new Set<string>();
  mapStrings(value, (text) => {
    for (const [, name] of text.matchAll(reference)) if (name !== undefined) names.add(name);
    return text;
  });
  return names;
}

const call = /\bsecret\s*\(\s*(["'`])([A-Za-z0-9_.-]{1,100})\1\s*\)/g;

/** Names that a script asks for by `secret("NAME")`; one that is put together at run time is not seen, and not sent. Pure. */
export function scriptSecretNames(text: string): Set<string> {
  return new Set([...text.matchAll(call)].flatMap(([, , name]) => name ?? []));
}

/** The value with each `${secret:NAME}` replaced; what `lookup` does not know stays as it stands. Pure. */
export function fillSecrets(value: JsonValue, lookup: (name: string) => string | undefined): JsonValue {
  return mapStrings(value, (text) => text.replace(reference, (whole, name: string) => lookup(name) ?? whole));
}

function mapStrings(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((inner) => mapStrings(inner, change));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapStrings(inner, change)]));
}
