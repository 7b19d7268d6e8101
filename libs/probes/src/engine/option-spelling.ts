import type { Json } from '@vantage/domain';
import { z } from 'zod';

/**
 * Options written in any letter case (`expectStatus`, `ipFamily`, as scripts do) in the spelling of a probe's schema.
 * Unknown names stay as they are, so that the schema refuses them.
 */
export function spellOptions(schema: unknown, value: Json): Json {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodArray && isList(value)) {
    return value.map((each) => spellOptions(inner.element, each));
  }
  if (!(inner instanceof z.ZodObject) || !isRecord(value)) return value;
  const shape: Readonly<Record<string, unknown>> = inner.shape;
  const known = new Map(Object.keys(shape).map((key) => [key.toLowerCase(), key]));
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      const spelled = known.get(key.toLowerCase()) ?? key;
      return [spelled, spellOptions(shape[spelled], each)];
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

function isRecord(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !isList(value);
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
