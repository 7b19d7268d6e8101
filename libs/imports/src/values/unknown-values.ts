import type { Json } from '@vantage/domain';

/** A record of unknown values, as a parsed file has it. */
export type UnknownRecord = Readonly<Record<string, unknown>>;

/** The value as a record; undefined for anything else. */
export function recordOf(value: unknown): UnknownRecord | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : undefined;
}

/** The value as a list; empty for anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A text or number as trimmed text; undefined for anything else and for blank text. */
export function textOf(value: unknown): string | undefined {
  const text = typeof value === 'number' || typeof value === 'bigint' ? String(value) : value;
  return typeof text === 'string' && text.trim() !== '' ? text.trim() : undefined;
}

/** The non-empty texts of a list. */
export function textsOf(value: unknown): string[] {
  return listOf(value).flatMap((item) => textOf(item) ?? []);
}

/** A number, or a text that is one; undefined for anything else. */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** A boolean as tools write it: true, 1, "yes", "on"; undefined for anything else. */
export function truthOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  const text = textOf(value)?.toLowerCase();
  if (text === undefined) return undefined;
  if (['1', 'true', 'yes', 'y', 'on', 'x'].includes(text)) return true;
  return ['0', 'false', 'no', 'n', 'off'].includes(text) ? false : undefined;
}

/** A JSON value as an object; undefined for anything else. */
export function jsonObject(value: Json | undefined): Record<string, Json> | undefined {
  return isJsonObject(value) ? { ...value } : undefined;
}

/** The values of a record with text values, under the same names; values that are not text are left out. */
export function textFields(record: UnknownRecord): Record<string, string> {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => {
      const text = textOf(value);
      return text === undefined ? [] : [[name, text] as const];
    }),
  );
}

/** The record, or undefined where it has no entry. */
export function orAbsent<T extends object>(record: T): T | undefined {
  return Object.keys(record).length === 0 ? undefined : record;
}

function isJsonObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
