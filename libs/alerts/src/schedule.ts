import type { Severity } from './alert-kind.ts';

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
