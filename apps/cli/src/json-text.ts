import type { Json } from '@vantage/domain';

/** A value as a text: a text itself, any other value as JSON. */
export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
