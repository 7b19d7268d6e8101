import { minuteUs } from '@vantage/domain';
import { type AlertKind, momentKinds, type Severity } from './alert-kind.ts';
import { dueSteps } from './due-steps.ts';
import type { Schedule } from './schedule.ts';
import type { StepProgress } from './step-progress.ts';

/** A message that a schedule would send. */
export interface PreviewedMessage {
  /** Microseconds since 1970. */
  readonly atUs: number;
  /** The places of the steps that send it, from 0. */
  readonly steps: readonly number[];
  /** Each contact once. */
  readonly contactIds: readonly string[];
  /** All of these steps sent one before. */
  readonly isRepeat: boolean;
}

/** The schedule by which alerts of this kind notify. */
export function scheduleOfKind(schedule: Schedule, kind: string): Schedule {
  return kind === 'contact.failing' ? inOfficeHours(schedule) : schedule;
}

/**
 * The messages of an alert that is confirmed at `atUs`, that nobody acknowledges and that lasts until `untilUs`: at
 * most `most`, in the order of time. Pure. Throws a RangeError for a time zone that is not known.
 */
export function previewMessages(asked: {
  readonly schedule: Schedule;
  readonly kind: AlertKind;
  readonly severity: Severity;
  readonly atUs: number;
  readonly untilUs: number;
  readonly most: number;
}): readonly PreviewedMessage[] {
  const schedule = scheduleOfKind(asked.schedule, asked.kind);
  const found: PreviewedMessage[] = [];
  const notified = new Set<string>();
  let progress: readonly StepProgress[] = [];
  for (let nowUs = asked.atUs; nowUs < asked.untilUs && found.length < asked.most; ) {
    const decision = dueSteps({
      schedule,
      severity: asked.severity,
      activeUs: asked.atUs,
      progress,
      notified: [...notified],
      acknowledged: false,
      snoozedUntilUs: null,
      repeats: !momentKinds.has(asked.kind),
      minuteUs,
      nowUs,
    });
    const sent = [...decision.progress.entries()].filter(([, each]) => each?.lastUs === nowUs);
    if (sent.length > 0)
      found.push({
        atUs: nowUs,
        steps: sent.map(([place]) => place),
        contactIds: decision.contactIds,
        isRepeat: sent.every(([, each]) => each !== null && each.firstUs < nowUs),
      });
    for (const id of decision.contactIds) notified.add(id);
    progress = decision.progress;
    if (decision.nextUs === null) break;
    nowUs = decision.nextUs;
  }
  return found;
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
