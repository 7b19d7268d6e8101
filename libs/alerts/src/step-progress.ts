import { createHash } from 'node:crypto';
import type { ScheduleStep } from './schedule.ts';

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
