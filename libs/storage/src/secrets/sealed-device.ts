import type { JsonValue } from '@bufbuild/protobuf';
import { calledSecretNames, fillReferences, referencedNames, type SealedDevice } from '@vantage/domain';
import { z } from 'zod';

const json: z.ZodType<JsonValue> = z.json();

/** Reads the opened value of a device's `sealed` column. */
export const sealedDevice = z.object({
  url: z.string(),
  options: z.record(z.string(), json),
}) satisfies z.ZodType<SealedDevice>;

/** The names of the account's secrets in all references `${secret:NAME}` of a value. Pure. */
export function secretNames(value: JsonValue): Set<string> {
  const names = new Set<string>();
  mapStrings(value, (text) => {
    for (const name of referencedNames('secret', text)) names.add(name);
    return text;
  });
  return names;
}

/**
 * The names of the account's secrets that a device's URL and Options refer to: by `${secret:NAME}`, and in a Script by
 * `secret("NAME")`. The gateway sends a Script only these secrets.
 */
export function referencesOf(
  method: string,
  target: { readonly url: string; readonly options: Readonly<Record<string, unknown>> },
): {
  readonly url: ReadonlySet<string>;
  readonly options: ReadonlySet<string>;
} {
  const { url, options } = sealedDevice.parse(target);
  return {
    url: method === 'Script' ? new Set(calledSecretNames('secret', url)) : secretNames(url),
    options: secretNames(options),
  };
}

/** The value with each `${secret:NAME}` replaced. A reference that is unknown to `lookup` stays. Pure. */
export function fillSecrets(value: JsonValue, lookup: (name: string) => string | undefined): JsonValue {
  return mapStrings(value, (text) => fillReferences('secret', text, lookup));
}

function mapStrings(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((inner) => mapStrings(inner, change));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapStrings(inner, change)]));
}
