import { createHash } from 'node:crypto';
import { minuteUs, type Severity } from '@vantage/domain';
import { type AlertKind, momentKinds } from './alert-kind.ts';
import { createOpening, isMeantFor, type Schedule, type ScheduleStep, scheduleOfKind } from './schedule.ts';

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

/** Decides which steps send now. Pure. */
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

/** How far one step of the schedule is: when it sent its first and its last message. Null: it sent none. */
export type StepProgress = {
  readonly firstUs: number;
  readonly lastUs: number;
  /** `stepKey` of the step as it was then. Absent: an earlier version wrote it. */
  readonly step?: string | undefined;
} | null;

/** The same text for steps that are set to the same values. */
export function stepKey({ contactIds, ...settings }: ScheduleStep): string {
  const { timezone = null, delayMinutes, days, from, to, repeatMinutes, severities } = settings;
  const values = [timezone, delayMinutes, days, from, to, repeatMinutes, severities, [...contactIds].sort()];
  return createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 12);
}

/**
 * The progress of each step, also after the schedule was edited, or joined anew. Pure.
 *
 * | the step | its progress |
 * |---|---|
 * | is set to the values that it had | its own, wherever it stands now |
 * | was edited, and one of its contacts was notified | that of the edited step at its place |
 * | otherwise | none: it is new |
 */
export function progressOf(
  steps: readonly ScheduleStep[],
  before: readonly StepProgress[],
  notified: ReadonlySet<string>,
): readonly StepProgress[] {
  const left = new Map([...before.entries()].filter(([, progress]) => progress !== null));
  const own = steps.map((step) => {
    const key = stepKey(step);
    const found = [...left].find(([, progress]) => progress?.step === key);
    if (found === undefined) return null;
    left.delete(found[0]);
    return found[1];
  });
  return steps.map((step, place) => {
    const edited = left.get(place);
    const isKnown = step.contactIds.some((id) => notified.has(id));
    return own[place] ?? (edited && isKnown ? { ...edited, step: stepKey(step) } : null);
  });
}

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

/**
 * The messages of an alert that is confirmed at `atUs`, that nobody acknowledges and that lasts until `untilUs`: at
 * most `most`, in the order of time. Pure.
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
