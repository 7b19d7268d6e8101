import type { Severity } from './alert-kind.ts';
import { createOpening } from './opening.ts';
import { isMeantFor, type Schedule } from './schedule.ts';
import { progressOf, type StepProgress, stepKey } from './step-progress.ts';

/** The inputs of the messages of an alert. */
export interface StepQuestion {
  readonly schedule: Schedule;
  readonly severity: Severity;
  /** When the alert was confirmed: DelayMinutes count from here. */
  readonly activeUs: number;
  /** As the last decision left it. */
  readonly progress: readonly StepProgress[];
  /** Contacts that were notified of the alert. */
  readonly notified: readonly string[];
  readonly acknowledged: boolean;
  readonly snoozedUntilUs: number | null;
  /** Repeats are for alerts that can end; a message about one moment has none. */
  readonly repeats: boolean;
  /** How long a minute of DelayMinutes and RepeatMinutes lasts. */
  readonly minuteUs: number;
  readonly nowUs: number;
}

/** The contacts to notify now, each once, and when to ask again. */
export interface StepDecision {
  readonly contactIds: readonly string[];
  /** The step by which each of them is notified, from 1; of several steps the first. */
  readonly stepOf: ReadonlyMap<string, number>;
  readonly progress: readonly StepProgress[];
  /** Null: nothing follows unless something changes. */
  readonly nextUs: number | null;
}

/*
 * Steps are independent of each other. Each one, at `now`:
 *
 *   step                                    | decision
 *   not meant for the severity              | never
 *   alert acknowledged                      | never again; a message that waited is cancelled
 *   sent nothing yet                        | due DelayMinutes after the alert
 *   sent, RepeatMinutes set                 | due RepeatMinutes after its last message
 *   sent, no RepeatMinutes                  | never again
 *   due, alert snoozed                      | due when the snooze ends
 *   due, outside of its hours               | due at its next opening, once, however many repeats fell into the closed hours
 *   due, within its hours                   | sent now
 */

/** Decides which steps send now. Pure. Throws a RangeError for a time zone that is not known. */
export function dueSteps(question: StepQuestion): StepDecision {
  const { schedule, severity, nowUs, acknowledged } = question;
  const stepOf = new Map<string, number>();
  const progress: StepProgress[] = [];
  const next: number[] = [];
  const before = progressOf(schedule.steps, question.progress, new Set(question.notified));
  for (const [place, step] of schedule.steps.entries()) {
    let sent = before[place] ?? null;
    if (isMeantFor(step, severity) && !acknowledged) {
      const dueUs = dueOf(question, step, sent);
      const opening = createOpening(step.timezone ?? schedule.timezone);
      const opensUs = dueUs === undefined ? undefined : opening.next(step, Math.max(dueUs, nowUs));
      if (opensUs !== undefined && opensUs <= nowUs) {
        for (const id of step.contactIds) if (!stepOf.has(id)) stepOf.set(id, place + 1);
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
