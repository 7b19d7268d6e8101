import type { Json } from '@vantage/domain';

/** A value from outside as a record; undefined for anything else. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : undefined;
}

/** A value from outside as a list; empty for anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A text or number from outside as a text without blanks around it; undefined where there is none. */
export function textOf(value: unknown): string | undefined {
  const text = typeof value === 'number' || typeof value === 'bigint' ? String(value) : value;
  return typeof text === 'string' && text.trim() !== '' ? text.trim() : undefined;
}

/** A number from outside, also as a text; undefined where there is none. */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** Truth as tools write it: true, 1, "yes", "on". */
export function truthOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  const text = textOf(value)?.toLowerCase();
  if (text === undefined) return undefined;
  if (['1', 'true', 'yes', 'y', 'on', 'x'].includes(text)) return true;
  return ['0', 'false', 'no', 'n', 'off'].includes(text) ? false : undefined;
}

/** Seconds of a span such as `90`, `30s`, `5m`, `1h30m`, `500ms`, `2 min`; a bare number counts `bareSeconds` each. */
export function spanSeconds(value: unknown, bareSeconds = 1): number | undefined {
  const text = textOf(value)?.toLowerCase();
  if (text === undefined) return undefined;
  const bare = numberOf(text);
  if (bare !== undefined) return bare >= 0 ? bare * bareSeconds : undefined;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)\s*([a-zµ]+)\s*/g)];
  if (parts.length === 0 || parts.map(([whole]) => whole).join('') !== text) return undefined;
  let sum = 0;
  for (const [, count, unit] of parts) {
    const seconds = unitSeconds(unit ?? '');
    if (seconds === undefined) return undefined;
    sum += Number(count) * seconds;
  }
  return sum;
}

function unitSeconds(unit: string): number | undefined {
  if (unit === 'ms' || unit.startsWith('milli')) return 0.001;
  if (/^(s|secs?|seconds?)$/.test(unit)) return 1;
  if (/^(m|mins?|minutes?)$/.test(unit)) return 60;
  if (/^(h|hrs?|hours?)$/.test(unit)) return 3600;
  if (/^(d|days?)$/.test(unit)) return 86_400;
  if (/^(w|weeks?)$/.test(unit)) return 604_800;
  return undefined;
}

/** A host as it stands in a URL: an IPv6 address in brackets. */
export function hostText(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}

/** `host:port`, or the host where there is no port. */
export function hostPort(host: string, port: number | undefined): string {
  return port === undefined ? hostText(host) : `${hostText(host)}:${port}`;
}

/** A path of a tag: its parts without blanks and empty ones, a `/` inside a part as `-`. */
export function tagPath(...parts: readonly (string | undefined)[]): string {
  return parts.flatMap((part) => part?.trim().replaceAll('/', '-') || []).join('/');
}

/** A JSON value as an object; undefined for anything else. */
export function jsonObject(value: Json | undefined): Record<string, Json> | undefined {
  return isJsonObject(value) ? { ...value } : undefined;
}

function isJsonObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
