import { type Recurrence, recurrenceOf, ruleOf } from '../../model/recurrence.ts';
import { dateAfter } from '../../model/zoned.ts';
import type { Mschedule } from '../../store/maintenance.ts';

/** A maintenance schedule as its form shows it. */
export interface RecurringDraft {
  readonly name: string;
  readonly zone: string;
  readonly start: string;
  readonly duration: string;
  readonly recurrence: Recurrence;
  readonly endOnFirstOk: boolean;
}

/** The form of a schedule that does not exist yet: the next night. */
export function newDraft(zone: string, today: string): RecurringDraft {
  return {
    name: '',
    zone,
    start: `${dateAfter(today, 1)}T02:00`,
    duration: '02:00',
    recurrence: recurrenceOf('FREQ=WEEKLY'),
    endOnFirstOk: false,
  };
}

/** The form of a schedule as it is stored. */
export function draftOf(schedule: Mschedule): RecurringDraft {
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
