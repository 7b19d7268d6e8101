import { isJsonList, type Json } from '@vantage/domain';
import { isRecord } from '@vantage/kernel';
import { z } from 'zod';

/**
 * Options in any letter case (`expectStatus`, `ipFamily`, as in scripts) in the spelling of a probe's schema. Unknown
 * names stay, so that the schema rejects them.
 */
export function spellOptions(schema: unknown, value: Json): Json {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodArray && isJsonList(value)) {
    return value.map((item) => spellOptions(inner.element, item));
  }
  if (!(inner instanceof z.ZodObject) || !isRecord(value)) return value;
  const shape: Readonly<Record<string, unknown>> = inner.shape;
  const known = new Map(Object.keys(shape).map((key) => [key.toLowerCase(), key]));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const spelled = known.get(key.toLowerCase()) ?? key;
      return [spelled, spellOptions(shape[spelled], item)];
    }),
  );
}

function unwrapped(schema: unknown): unknown {
  let inner = schema;
  while (
    inner instanceof z.ZodOptional ||
    inner instanceof z.ZodDefault ||
    inner instanceof z.ZodPrefault ||
    inner instanceof z.ZodNullable
  ) {
    inner = inner.unwrap();
  }
  return inner;
}
