import { type ZoneOffset, zoneOffset } from '../time-zone.ts';
import type { CronRule } from './cron-rule.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** The leap day of a weekday can be 40 years away, around a century without a leap day. */
const maxDays = 41 * 366;

/**
 * The first time of a cron line after `afterMs` in an IANA zone, in milliseconds since 1970. Around a change of the
 * zone's clock it does as Debian's cron does: a job at a time of day that is skipped is due when the clock goes on, and
 * one at a time that comes twice is due once, at the first. A job that repeats through the day (`isRepeated`) is due
 * whenever the clock shows its time.
 */
export function nextCronTime(rule: CronRule, zone: string, afterMs: number): number | undefined {
  const offset = zoneOffset(zone);
  // A clock that goes back at midnight mixes the times of two days, so the neighbours of a day are read, too.
  const firstDay = localDay(afterMs + offset(afterMs) * minuteMs) - dayMs;
  let found: number | undefined;
  for (let day = firstDay, end = firstDay + maxDays * dayMs; day < end; day += dayMs) {
    const time = fits(rule, day) ? firstOfDay(rule, offset, day, afterMs) : undefined;
    if (time === undefined) continue;
    if (found === undefined) end = day + 2 * dayMs;
    found = Math.min(found ?? time, time);
  }
  return found;
}

/** The start of the local day, as if local time were UTC. */
function localDay(localMs: number): number {
  return Math.floor(localMs / dayMs) * dayMs;
}

function fits({ days, months, weekdays, isEitherDay }: CronRule, day: number): boolean {
  const date = new Date(day);
  if (!months.has(date.getUTCMonth() + 1)) return false;
  const [isDay, isWeekday] = [days.has(date.getUTCDate()), weekdays.has(date.getUTCDay())];
  return isEitherDay ? isDay || isWeekday : isDay && isWeekday;
}

/** The first time of the job on a local day that is after `afterMs`. */
function firstOfDay(rule: CronRule, offset: ZoneOffset, day: number, afterMs: number): number | undefined {
  // Most days have one offset, so their times are a matter of arithmetic.
  const [before, after] = [offset(day - dayMs), offset(day + 2 * dayMs)];
  if (before === after && before === offset(day) && before === offset(day + dayMs))
    return firstAfter(rule, afterMs + before * minuteMs - day, day - before * minuteMs);
  let first: number | undefined;
  for (const hour of rule.hours)
    for (const minute of rule.minutes) {
      const local = day + (hour * 60 + minute) * minuteMs;
      for (const time of timesOf(rule, offset, local))
        if (time > afterMs && (first === undefined || time < first)) first = time;
    }
  return first;
}

/** The first time of day after `sinceDay` (milliseconds), added to `beginMs`. */
function firstAfter({ hours, minutes }: CronRule, sinceDay: number, beginMs: number): number | undefined {
  for (const hour of hours) {
    if ((hour + 1) * 60 * minuteMs <= sinceDay) continue;
    for (const minute of minutes) {
      const time = (hour * 60 + minute) * minuteMs;
      if (time > sinceDay) return beginMs + time;
    }
  }
  return undefined;
}

/** The moments at which a job of this local time is due. */
function timesOf({ isRepeated }: CronRule, offset: ZoneOffset, local: number): readonly number[] {
  const offsets = new Set([offset(local - dayMs), offset(local), offset(local + dayMs)]);
  const times = [...offsets]
    .map((minutes) => ({ minutes, time: local - minutes * minuteMs }))
    .filter(({ minutes, time }) => offset(time) === minutes)
    .map(({ time }) => time)
    .sort((a, b) => a - b);
  if (isRepeated) return times;
  return times.length > 0 ? times.slice(0, 1) : [endOfGap(offset, local, offsets)];
}

/** The moment at which the clock goes on after a local time that it skips. */
function endOfGap(offset: ZoneOffset, local: number, offsets: ReadonlySet<number>): number {
  let low = local - Math.max(...offsets) * minuteMs;
  let high = local - Math.min(...offsets) * minuteMs;
  const after = offset(high);
  while (high - low > minuteMs) {
    const middle = Math.floor((low + high) / 2 / minuteMs) * minuteMs;
    if (offset(middle) === after) high = middle;
    else low = middle;
  }
  return high;
}
