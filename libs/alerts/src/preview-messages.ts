import { minuteUs, type Severity } from '@vantage/domain';
import { type AlertKind, momentKinds } from './alert-kind.ts';
import { dueSteps } from './due-steps.ts';
import { type Schedule, scheduleOfKind } from './schedule.ts';
import type { StepProgress } from './step-progress.ts';

/** A message that a schedule would send. */
export interface PreviewedMessage {
  /** Microseconds since 1970. */
  readonly atUs: number;
  /** The indexes of the steps that send it. */
  readonly steps: readonly number[];
  /** Each contact once. */
  readonly contactIds: readonly string[];
  /** All of these steps have sent a message before. */
  readonly isRepeat: boolean;
}

/**
 * The messages, in the order of time, of an alert that is confirmed at `atUs`, is not acknowledged and lasts until
 * `untilUs`. Pure.
 */
export function previewMessages(alert: {
  readonly schedule: Schedule;
  readonly kind: AlertKind;
  readonly severity: Severity;
  readonly atUs: number;
  readonly untilUs: number;
  readonly maxMessages: number;
}): readonly PreviewedMessage[] {
  const schedule = scheduleOfKind(alert.schedule, alert.kind);
  const found: PreviewedMessage[] = [];
  const notified = new Set<string>();
  let progress: readonly StepProgress[] = [];
  for (let nowUs = alert.atUs; nowUs < alert.untilUs && found.length < alert.maxMessages; ) {
    const decision = dueSteps({
      schedule,
      severity: alert.severity,
      activeUs: alert.atUs,
      progress,
      notified: [...notified],
      acknowledged: false,
      snoozedUntilUs: null,
      repeats: !momentKinds.has(alert.kind),
      minuteUs,
      nowUs,
    });
    const sent = [...decision.progress.entries()].filter(([, step]) => step?.lastUs === nowUs);
    if (sent.length > 0)
      found.push({
        atUs: nowUs,
        steps: sent.map(([index]) => index),
        contactIds: decision.contactIds,
        isRepeat: sent.every(([, step]) => step !== null && step.firstUs < nowUs),
      });
    for (const id of decision.contactIds) notified.add(id);
    progress = decision.progress;
    if (decision.nextUs === null) break;
    nowUs = decision.nextUs;
  }
  return found;
}
