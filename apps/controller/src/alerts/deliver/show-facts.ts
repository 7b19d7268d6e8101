import type { Json } from '@vantage/domain';
import { isRecord } from '@vantage/kernel';
import { z } from 'zod';

/** The facts that are moments: microseconds since 1970 in a row, text in a message. */
const moments: ReadonlySet<string> = new Set([
  'Since',
  'DownSince',
  'Began',
  'Opened',
  'Closed',
  'At',
  'Timestamp',
  'Until',
  'Start',
  'End',
  'NotAfter',
  'SnoozedUntil',
]);

const facts = z.record(z.string(), z.json());

/**
 * The facts of a notification's row as messages show them: moments as text of the account's zone, also inside of lists
 * and objects. A value that is no object is an empty one.
 */
export function showFacts(data: unknown, format: (us: number) => string): { readonly [name: string]: Json } {
  const parsed = facts.safeParse(data);
  return parsed.success ? showObject(parsed.data, format) : {};
}

function showObject(
  value: { readonly [name: string]: Json },
  format: (us: number) => string,
): { readonly [name: string]: Json } {
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      moments.has(name) && typeof inner === 'number' && isMoment(inner) ? format(inner) : show(inner, format),
    ]),
  );
}

function show(value: Json, format: (us: number) => string): Json {
  if (Array.isArray(value)) return value.map((member) => show(member, format));
  return isRecord(value) ? showObject(value, format) : value;
}

/** A date of JavaScript can be at most this far from 1970. */
function isMoment(us: number): boolean {
  return Math.abs(us) <= 8.64e18;
}
