import type { Severity } from '@vantage/domain';

/** Days of the week as REST names them, in the order of ISO 8601: Monday first. */
export const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

export type Weekday = (typeof weekdays)[number];

/** One step of a notification schedule: its contacts, its delay after the alert, and its hours. */
export interface ScheduleStep {
  /** The IANA zone of its hours; default: that of the schedule. */
  readonly timezone?: string;
  /** Minutes from the alert to this step. */
  readonly delayMinutes: number;
  readonly contactIds: readonly string[];
  /** Days on which the hours begin. Null: every day. */
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
 * Joins the schedules of the devices of a Location into one, for alerts of a severity. It has the steps of all. A
 * contact is left out of a step if an earlier step (by DelayMinutes) notifies it at any hour. Null: there is none.
 * Pure.
 */
export function joinSchedules(schedules: readonly Schedule[], severity: Severity): Schedule | null {
  const [first, ...more] = schedules;
  if (first === undefined) return null;
  if (more.length === 0) return first;
  const notified = new Set<string>();
  const steps = schedules
    .flatMap(({ timezone, steps: own }) => own.map((step) => ({ ...step, timezone })))
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

/** The schedule for alerts of this kind. */
export function scheduleOfKind(schedule: Schedule, kind: string): Schedule {
  return kind === 'contact.failing' ? inOfficeHours(schedule) : schedule;
}

/**
 * The schedule for notifications that can wait for office hours: steps without Days, From and To are open from Monday
 * to Friday, 08:00 to 18:00 in the schedule's zone, and nothing is repeated. Pure.
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
