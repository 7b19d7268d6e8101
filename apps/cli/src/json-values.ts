import type { Json } from '@vantage/domain';

/** A text as it is, any other value as JSON. */
export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
