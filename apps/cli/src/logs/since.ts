import { Fault } from '@vantage/kernel';

const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The moment that `--since` names, milliseconds since 1970: `30m` before now, or a time in ISO form. Pure. */
export function sinceMs(text: string, nowMs: number): number {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const atMs =
    count === undefined
      ? /^\d{4}-\d\d-\d\d/.test(text)
        ? Date.parse(text)
        : Number.NaN
      : nowMs - Number(count) * (units[unit] ?? 0);
  if (!Number.isFinite(atMs))
    throw new Fault(
      'stop',
      'settings',
      `--since ${text} is no time; accepted are for example 30m, 2h, 7d and 2026-03-01T10:00 (local time)`,
    );
  return atMs;
}
