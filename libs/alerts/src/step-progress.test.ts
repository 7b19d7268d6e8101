import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ScheduleStep } from './schedule.ts';
import { progressOf, type StepProgress, stepKey } from './step-progress.ts';

const step = (delayMinutes: number, contactIds: readonly string[]): ScheduleStep => ({
  delayMinutes,
  contactIds,
  days: null,
  from: null,
  to: null,
  repeatMinutes: null,
  severities: null,
});
const sent = (of: ScheduleStep): StepProgress => ({ firstUs: 1, lastUs: 2, step: stepKey(of) });
const [first, second, third] = [step(0, ['a']), step(5, ['b']), step(9, ['c'])];
const notified = new Set(['a', 'b']);

test('a new step before those that sent something sends, and they do not send again', () => {
  const before = [sent(first), sent(second)];
  expect(progressOf([third, first, second], before, notified)).toEqual([null, ...before]);
});

test('an edited step does not send again, and one with other contacts does', () => {
  const before = [sent(first), sent(second)];
  const edited = { ...second, repeatMinutes: 10 };
  expect(progressOf([first, edited], before, notified)).toEqual([sent(first), sent(edited)]);
  expect(progressOf([first, third], before, notified)).toEqual([sent(first), null]);
});

test('progress that an earlier version stored counts for the step at its place', () => {
  const old: StepProgress = { firstUs: 1, lastUs: 2 };
  expect(progressOf([first, second], [old], notified)).toEqual([{ ...old, step: stepKey(first) }, null]);
});

test('however steps are reordered, added and taken away, each keeps its own progress (property)', () => {
  const steps = fc.uniqueArray(fc.nat(30), { maxLength: 8 });
  const make = (n: number) => step(n, [`contact ${n}`]);
  fc.assert(
    fc.property(steps, steps, fc.infiniteStream(fc.boolean()), (before, after, coins) => {
      const known = new Map(before.map((n) => [n, coins.next().value === true ? sent(make(n)) : null]));
      const heard = new Set([...known].filter(([, one]) => one !== null).map(([n]) => `contact ${n}`));
      const found = progressOf(after.map(make), [...known.values()], heard);
      expect(found).toEqual(after.map((n) => known.get(n) ?? null));
    }),
  );
});
