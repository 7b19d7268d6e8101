import { minuteUs } from '@vantage/domain';
import { type ZoneOffset, zoneOffset } from '@vantage/kernel';
import { type ScheduleStep, weekdays } from './schedule.ts';

export type StepHours = Pick<ScheduleStep, 'days' | 'from' | 'to'>;

const dayMinutes = 24 * 60;

/** Hours repeat each week; a clock change may skip one opening. */
const searchMinutes = 15 * dayMinutes;

/*
 * The wall clock of the zone decides whether a step is open:
 *
 *   From, To      | open while the wall clock shows
 *   none          | any time on the Days
 *   From < To     | From up to To, on the Days
 *   From ≥ To     | From up to midnight on the Days, and midnight up to To on the day after each of them
 *
 * If the clocks skip From, the step opens right after the change. If they repeat an hour, it is open twice.
 */

/** The opening hours of a zone. Times are microseconds since 1970. */
export function createOpening(timezone: string): {
  /** Returns `us` if the step is open then, else its next opening. Undefined: it never opens. */
  next(hours: StepHours, us: number): number | undefined;
} {
  const offset = zoneOffset(timezone);
  return {
    next(hours, us) {
      const days = hours.days ?? weekdays;
      if (days.length === weekdays.length && hours.from === null && hours.to === null) return us;
      const rule = {
        isDay: weekdays.map((day) => days.includes(day)),
        from: minutesOf(hours.from ?? '00:00'),
        to: hours.to === null ? dayMinutes : minutesOf(hours.to),
      };
      const minute = Math.floor(us / minuteUs);
      if (isOpen(rule, minute, offset)) return us;
      for (
        let later = minute + 1;
        later <= minute + searchMinutes;
        later = nextCandidate(rule, later, offset)
      )
        if (isOpen(rule, later, offset)) return later * minuteUs;
      return undefined;
    },
  };
}

/**
 * A step opens at its From, at midnight or at a clock change. Midnight and clock changes are at whole quarter hours.
 */
function nextCandidate({ from }: HourRule, minute: number, offset: ZoneOffset): number {
  const quarter = minute - (minute % 15) + 15;
  const untilFrom = (from - minute - offset(minute * 60_000)) % dayMinutes;
  const fromMinute = minute + (untilFrom <= 0 ? untilFrom + dayMinutes : untilFrom);
  return Math.min(quarter, fromMinute);
}

interface HourRule {
  /** Monday first. */
  readonly isDay: readonly boolean[];
  /** Minutes since midnight. */
  readonly from: number;
  readonly to: number;
}

/** `minute` counts from 1970 in UTC. */
function isOpen({ isDay, from, to }: HourRule, minute: number, offset: ZoneOffset): boolean {
  const local = minute + offset(minute * 60_000);
  const day = Math.floor(local / dayMinutes);
  const time = local - day * dayMinutes;
  // 1 January 1970 was a Thursday.
  const isStart = isDay[(day + 3) % 7] === true;
  const isAfterStart = isDay[(day + 2) % 7] === true;
  if (from < to) return isStart && time >= from && time < to;
  return (isStart && time >= from) || (isAfterStart && time < to);
}

function minutesOf(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number);
  return hours * 60 + minutes;
}
