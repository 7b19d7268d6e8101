import type { JsonValue } from '@bufbuild/protobuf';
import { fillReferences, referencedNames, type SealedDevice } from '@vantage/domain';
import { z } from 'zod';

const json: z.ZodType<JsonValue> = z.json();

/** Reads the opened value of a device's `sealed` column. */
export const sealedDevice = z.object({
  url: z.string(),
  options: z.record(z.string(), json),
}) satisfies z.ZodType<SealedDevice>;

/** Names of the account's secrets that a value refers to by `${secret:NAME}`, wherever in it. Pure. */
export function secretNames(value: JsonValue): Set<string> {
  const names = new Set<string>();
  mapStrings(value, (text) => {
    for (const name of referencedNames('secret', text)) names.add(name);
    return text;
  });
  return names;
}

/** The value with each `${secret:NAME}` replaced. A reference that `lookup` does not know stays as it is. Pure. */
export function fillSecrets(value: JsonValue, lookup: (name: string) => string | undefined): JsonValue {
  return mapStrings(value, (text) => fillReferences('secret', text, lookup));
}

function mapStrings(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((inner) => mapStrings(inner, change));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapStrings(inner, change)]));
}
