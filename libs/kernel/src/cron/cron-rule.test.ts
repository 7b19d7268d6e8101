import { expect, test } from 'vitest';
import { readCron } from './cron-rule.ts';

function ruleOf(line: string) {
  const read = readCron(line);
  if (!read.ok) throw new Error(read.fault);
  return read.rule;
}

test.each([
  ['30 2 * * *', { minutes: [30], hours: [2], isRepeated: false, isEitherDay: false }],
  ['*/20 8-10 * * *', { minutes: [0, 20, 40], hours: [8, 9, 10], isRepeated: true }],
  ['5/20 1,3 1 1 *', { minutes: [5, 25, 45], hours: [1, 3], isRepeated: false }],
  ['0 0 1 jan,jun *', { months: new Set([1, 6]) }],
  ['0 0 * * fri-sun', { weekdays: new Set([5, 6, 0]) }],
  ['0 0 * * 7', { weekdays: new Set([0]) }],
  ['0 0 13 * 5', { isEitherDay: true }],
  ['0 0 */2 * 5', { isEitherDay: false }],
  ['@daily', { minutes: [0], hours: [0], isRepeated: false }],
  ['  @Hourly ', { minutes: [0], isRepeated: true }],
  ['0 0 29 2 *', { days: new Set([29]) }],
])('%j is read', (line, expected) => {
  expect(ruleOf(line)).toMatchObject(expected);
});

test.each([
  ['', 'five fields'],
  ['* * * *', 'five fields'],
  ['0 * * * * *', 'five fields'],
  ['@reboot', 'five fields'],
  ['60 * * * *', 'a minute that is not understood: numbers from 0 to 59'],
  ['* 24 * * *', 'an hour'.replace('an', 'a')],
  ['* * 0 * *', 'a day of the month'],
  ['* * * 13 *', 'a month that is not understood: numbers from 1 to 12 or jan to dec'],
  ['* * * * 8', 'a day of the week'],
  ['5-1 * * * *', 'a minute'],
  ['*/0 * * * *', 'a minute'],
  ['1,,2 * * * *', 'a minute'],
  ['1-2-3 * * * *', 'a minute'],
  ['x * * * *', 'a minute'],
  ['0 0 30 2 *', 'names a day that does not exist'],
  [`0 0 ${'1,'.repeat(200)}1 * *`, 'at most 200 characters'],
])('%j is refused', (line, fault) => {
  expect(readCron(line)).toEqual({ ok: false, fault: expect.stringContaining(fault) });
});
