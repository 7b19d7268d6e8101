import type { Severity } from '@vantage/domain';
import { minuteUs } from '@vantage/domain';
import { type ZoneOffset, zoneOffset } from '@vantage/kernel';

/** Days of the week as REST names them, in the order of ISO 8601: Monday first. */
export const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

/** One of `weekdays`. */
export type Weekday = (typeof weekdays)[number];

/** One step of a notification schedule: whom it notifies, how long after the alert, and at which hours. */
export interface ScheduleStep {
  /** The IANA zone of its hours, where it is not the schedule's. */
  readonly timezone?: string;
  /** Minutes of wall time from the alert to this step. */
  readonly delayMinutes: number;
  readonly contactIds: readonly string[];
  /** Days on which the step may notify: the days of `from`. Null: every day. */
  readonly days: readonly Weekday[] | null;
  /**
   * Hours in which the step may notify, `HH:MM` in the schedule's zone. Null: from or until midnight. `to` before
   * `from` crosses midnight.
   */
  readonly from: string | null;
  readonly to: string | null;
  /** Minutes between repeats of the message while the alert is open. Null: no repeats. */
  readonly repeatMinutes: number | null;
  /** Severities of devices for which the step is meant. Null: all. */
  readonly severities: readonly Severity[] | null;
}

/** A notification schedule with its IANA time zone. */
export interface Schedule {
  readonly timezone: string;
  readonly steps: readonly ScheduleStep[];
}

/** Whether the step is meant for devices of this severity. */
export function isMeantFor({ severities }: ScheduleStep, severity: Severity): boolean {
  return severities === null || severities.includes(severity);
}

/**
 * The schedules of several devices as the one of their Location, for alerts of this severity: the steps of all. A
 * contact is left out of a step when an earlier one by DelayMinutes notifies it at any hour. Null: there is none.
 * Pure.
 */
export function joinSchedules(schedules: readonly Schedule[], severity: Severity): Schedule | null {
  const [first, ...more] = schedules;
  if (first === undefined) return null;
  if (more.length === 0) return first;
  const all = schedules.flatMap(({ timezone, steps }) => steps.map((step) => ({ ...step, timezone })));
  const notified = new Set<string>();
  const steps = all
    .filter((step) => isMeantFor(step, severity))
    .sort((a, b) => a.delayMinutes - b.delayMinutes)
    .map((step) => {
      const contactIds = step.contactIds.filter((id) => !notified.has(id));
      if (step.days === null && step.from === null && step.to === null)
        for (const id of contactIds) notified.add(id);
      return { ...step, contactIds };
    });
  return { timezone: first.timezone, steps };
}

/** The schedule by which alerts of this kind notify. */
export function scheduleOfKind(schedule: Schedule, kind: string): Schedule {
  return kind === 'contact.failing' ? inOfficeHours(schedule) : schedule;
}

/**
 * The schedule for news that can wait for the morning: steps without Days, From and To are open from Monday to Friday,
 * 08:00 to 18:00 in the schedule's zone, and nothing is repeated. Pure.
 */
export function inOfficeHours({ timezone, steps }: Schedule): Schedule {
  return {
    timezone,
    steps: steps.map((step) => {
      const isAlways = step.days === null && step.from === null && step.to === null;
      const hours = { days: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri'], from: '08:00', to: '18:00' } as const;
      return { ...step, repeatMinutes: null, ...(isAlways ? hours : {}) };
    }),
  };
}

/** The hours of a step: see `ScheduleStep`. */
export type StepHours = Pick<ScheduleStep, 'days' | 'from' | 'to'>;

const dayMinutes = 24 * 60;

/** Hours repeat each week; a change of the clocks may skip one opening. */
const searchMinutes = 15 * dayMinutes;

/*
 * When is a step open? The wall clock of the zone decides, as people read it:
 *
 *   From, To      | open while the wall clock shows
 *   none          | any time of the Days
 *   From < To     | From up to To, on the Days
 *   From ≥ To     | From up to midnight on the Days, and midnight up to To on the day after each of them
 *
 * An hour that the clocks skip is not shown, so a step whose From is skipped opens right after the change. An hour that
 * they repeat is open twice.
 */

/** Creates the opening hours of a zone. Times are microseconds since 1970. */
export function createOpening(timezone: string): {
  /** The moment itself where the step is open then, else its next opening. Undefined: it never opens. */
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

/** A step opens at its From, at midnight or when the clocks change; the last two fall on whole quarters of an hour. */
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

/** `minute` is counted since 1970 in UTC. */
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
