import { dayUs } from '@vantage/domain';

const aheadDays = 2;

/** The end of something that has not ended or never ends; later than any time. */
export const foreverUs = Number.MAX_SAFE_INTEGER;

/** The partition of a day: its name and the bounds of `start_us`. Pure. */
export function partitionOf(dayStartUs: number): {
  readonly name: string;
  readonly fromUs: number;
  readonly toUs: number;
} {
  const day = new Date(dayStartUs / 1000).toISOString().slice(0, 10).replaceAll('-', '');
  return { name: `checks_${day}`, fromUs: dayStartUs, toUs: dayStartUs + dayUs };
}

/** The days that must have a partition at a time. Pure. */
export function daysWanted(nowUs: number, retentionDays: number): number[] {
  const first = startOfDay(nowUs - retentionDays * dayUs);
  const last = startOfDay(nowUs) + aheadDays * dayUs;
  return Array.from({ length: (last - first) / dayUs + 1 }, (_, i) => first + i * dayUs);
}

/** Limits the days that one run deletes, so that a wrong clock is noticed before many checks are lost. */
export const maxDaysInRun = 2;

/** The names of the oldest partitions that hold only checks older than the retention, at most `maxDaysInRun`. Pure. */
export function namesToDrop(names: readonly string[], nowUs: number, retentionDays: number): string[] {
  const oldest = partitionOf(startOfDay(nowUs - retentionDays * dayUs)).name;
  const old = names.filter((name) => /^checks_\d{8}$/.test(name) && name < oldest);
  return old.sort().slice(0, maxDaysInRun);
}

/** The start of the UTC day of a time, microseconds since 1970; its partition starts there. Pure. */
export function startOfDay(us: number): number {
  return us - (us % dayUs);
}
