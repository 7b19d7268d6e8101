import { expect, test } from 'vitest';
import { recurrenceOf, ruleOf } from './recurrence.ts';

test.each([
  [null, 'once'],
  ['FREQ=DAILY', 'daily'],
  ['FREQ=WEEKLY', 'weekly'],
  ['FREQ=WEEKLY;BYDAY=MO,SU', 'weekly'],
  ['FREQ=WEEKLY;BYDAY=1MO', 'rule'],
  ['FREQ=WEEKLY;BYDAY=XX', 'rule'],
  ['FREQ=MONTHLY;BYMONTHDAY=15', 'monthly'],
  ['FREQ=MONTHLY', 'rule'],
  ['FREQ=MONTHLY;BYDAY=1SU;COUNT=3', 'rule'],
] as const)('%s is shown as %s, and stored as it was', (rule, kind) => {
  expect(recurrenceOf(rule).kind).toBe(kind);
  expect(ruleOf(recurrenceOf(rule))).toBe(rule);
});

test('days are stored in the order of the week', () => {
  const weekly = { ...recurrenceOf('FREQ=WEEKLY'), days: ['Sun', 'Mon'] as const };
  expect(ruleOf(weekly)).toBe('FREQ=WEEKLY;BYDAY=MO,SU');
});
