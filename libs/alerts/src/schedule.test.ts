import { expect, test } from 'vitest';
import { isMeantFor, type ScheduleStep } from './schedule.ts';

const step: ScheduleStep = {
  ...{ delayMinutes: 0, contactIds: ['c'], days: null, from: null, to: null, repeatMinutes: null },
  severities: null,
};

test('a step without severities is meant for all of them, another one for those that it names', () => {
  expect(isMeantFor(step, 'info')).toBe(true);
  expect(isMeantFor({ ...step, severities: ['critical', 'warning'] }, 'warning')).toBe(true);
  expect(isMeantFor({ ...step, severities: ['critical', 'warning'] }, 'info')).toBe(false);
});
