import type { Severity } from '@vantage/domain';
import { createOpening } from './opening-hours.ts';
import { isMeantFor, type Schedule } from './schedule.ts';
import { progressOf, type StepProgress, stepKey } from './step-progress.ts';

/** The facts that decide about the messages of an alert. */
export interface StepQuestion {
  readonly schedule: Schedule;
  readonly severity: Severity;
  /** The time of the confirmation, from which DelayMinutes count. */
  readonly activeUs: number;
  /** From the last decision. */
  readonly progress: readonly StepProgress[];
  /** Contacts that were notified of the alert. */
  readonly notified: readonly string[];
  readonly acknowledged: boolean;
  readonly snoozedUntilUs: number | null;
  /** False for an alert about one moment, which has no repeats. */
  readonly repeats: boolean;
  /** The duration of a minute of DelayMinutes and RepeatMinutes; tests shorten it. */
  readonly minuteUs: number;
  readonly nowUs: number;
}

export interface StepDecision {
  /** The contacts to notify now, each once. */
  readonly contactIds: readonly string[];
  /** The step that notifies each contact, from 1; of several steps the first. */
  readonly stepOf: ReadonlyMap<string, number>;
  readonly progress: readonly StepProgress[];
  /** The time of the next decision. Null: nothing follows without a change. */
  readonly nextUs: number | null;
}

/*
 * Steps are independent of each other. The decision on each step:
 *
 *   step                                    | decision
 *   not meant for the severity              | never
 *   alert acknowledged                      | never again; a waiting message is cancelled
 *   sent nothing so far                     | due DelayMinutes after the alert
 *   sent, RepeatMinutes set                 | due RepeatMinutes after its last message
 *   sent, no RepeatMinutes                  | never again
 *   due, alert snoozed                      | due when the snooze ends
 *   due, outside its hours                  | due at its next opening, once, however many repeats the closed hours delayed
 *   due, within its hours                   | sent now
 */

/** Decides which steps send now. Pure. */
export function dueSteps(question: StepQuestion): StepDecision {
  const { schedule, severity, nowUs, acknowledged } = question;
  const stepOf = new Map<string, number>();
  const progress: StepProgress[] = [];
  const next: number[] = [];
  const before = progressOf(schedule.steps, question.progress, new Set(question.notified));
  for (const [index, step] of schedule.steps.entries()) {
    let sent = before[index] ?? null;
    if (isMeantFor(step, severity) && !acknowledged) {
      const dueUs = dueOf(question, step, sent);
      const opening = createOpening(step.timezone ?? schedule.timezone);
      const opensUs = dueUs === undefined ? undefined : opening.next(step, Math.max(dueUs, nowUs));
      if (opensUs !== undefined && opensUs <= nowUs) {
        for (const id of step.contactIds) if (!stepOf.has(id)) stepOf.set(id, index + 1);
        sent = { firstUs: sent?.firstUs ?? nowUs, lastUs: nowUs, step: stepKey(step) };
        const repeatUs = dueOf(question, step, sent);
        if (repeatUs !== undefined) next.push(repeatUs);
      } else if (opensUs !== undefined) next.push(opensUs);
    }
    progress.push(sent);
  }
  const nextUs = next.length === 0 ? null : Math.min(...next);
  return { contactIds: [...stepOf.keys()], stepOf, progress, nextUs };
}

function dueOf(
  { activeUs, snoozedUntilUs, repeats, minuteUs }: StepQuestion,
  { delayMinutes, repeatMinutes }: Schedule['steps'][number],
  sent: StepProgress,
): number | undefined {
  if (sent !== null && (repeatMinutes === null || !repeats)) return undefined;
  const dueUs =
    sent === null ? activeUs + delayMinutes * minuteUs : sent.lastUs + (repeatMinutes ?? 0) * minuteUs;
  return Math.max(dueUs, snoozedUntilUs ?? dueUs);
}
