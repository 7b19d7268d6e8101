import { createHash } from 'node:crypto';
import type { ScheduleStep } from './schedule.ts';

/** The times of the first and last message of a step. Null: it sent none. */
export type StepProgress = {
  readonly firstUs: number;
  readonly lastUs: number;
  /** `stepKey` of the step at that time. Absent: an earlier version stored it. */
  readonly step?: string | undefined;
} | null;

/** A hash of the values of a step. */
export function stepKey({ contactIds, ...settings }: ScheduleStep): string {
  const { timezone = null, delayMinutes, days, from, to, repeatMinutes, severities } = settings;
  const values = [timezone, delayMinutes, days, from, to, repeatMinutes, severities, [...contactIds].sort()];
  return createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 12);
}

/**
 * The progress of each step, also after the schedule was edited or joined again. Pure.
 *
 * | the step | its progress |
 * |---|---|
 * | has the same values as before | its own, at any index |
 * | was edited, and one of its contacts was notified | that of the previous step at its index |
 * | otherwise | none: it is new |
 */
export function progressOf(
  steps: readonly ScheduleStep[],
  before: readonly StepProgress[],
  notified: ReadonlySet<string>,
): readonly StepProgress[] {
  const unmatched = new Map([...before.entries()].filter(([, progress]) => progress !== null));
  const unchanged = steps.map((step) => {
    const key = stepKey(step);
    const found = [...unmatched].find(([, progress]) => progress?.step === key);
    if (found === undefined) return null;
    unmatched.delete(found[0]);
    return found[1];
  });
  return steps.map((step, index) => {
    const edited = unmatched.get(index);
    const isKnown = step.contactIds.some((id) => notified.has(id));
    return unchanged[index] ?? (edited && isKnown ? { ...edited, step: stepKey(step) } : null);
  });
}
