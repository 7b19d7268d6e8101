import { type Recurrence, recurrenceOf, ruleOf } from '../../model/recurrence.ts';
import { dateAfter } from '../../model/zoned.ts';
import type { Mschedule } from '../../store/maintenance-schedules.ts';

/** The form of a maintenance schedule. */
export interface RecurringDraft {
  readonly name: string;
  readonly zone: string;
  readonly start: string;
  readonly duration: string;
  readonly recurrence: Recurrence;
  readonly endOnFirstOk: boolean;
}

/** The form of a new schedule: each week from the next night on. */
export function newRecurringDraft(zone: string, today: string): RecurringDraft {
  return {
    name: '',
    zone,
    start: `${dateAfter(today, 1)}T02:00`,
    duration: '02:00',
    recurrence: recurrenceOf('FREQ=WEEKLY'),
    endOnFirstOk: false,
  };
}

/** The form of a stored schedule. */
export function recurringDraft(schedule: Mschedule): RecurringDraft {
  return {
    name: schedule.Name,
    zone: schedule.Timezone,
    start: schedule.Start,
    duration: schedule.Duration,
    recurrence: recurrenceOf(schedule.Recurrence),
    endOnFirstOk: schedule.EndOnFirstOk,
  };
}

/** The part of the body that determines the windows. */
export function timesOf({ zone, start, duration, recurrence }: RecurringDraft) {
  return {
    Timezone: zone.trim(),
    Start: start,
    Duration: duration.trim(),
    Recurrence: ruleOf(recurrence),
  };
}
