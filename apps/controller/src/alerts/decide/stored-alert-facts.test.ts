import { newAlertState } from '@vantage/alerts';
import { expect, test } from 'vitest';
import { readAlertState } from './stored-alert-facts.ts';

const nowUs = 1_790_000_000_000_000;
/** Alerts as earlier versions stored them. */
const later = [
  'countsFromUs',
  'note',
  'past',
  'heardElsewhere',
  'flapping',
  'closedElsewhere',
  'announcedAcknowledgement',
];

test('a state of an earlier version reads as one that has none of what came later', () => {
  const whole = newAlertState('active', nowUs);
  const stored = Object.fromEntries(Object.entries(whole).filter(([name]) => !later.includes(name)));
  expect(Object.keys(stored).length).toBeLessThan(Object.keys(whole).length);
  expect(readAlertState(stored, nowUs)).toEqual({ ...whole, countsFromUs: null });
});

test('a state that cannot be read begins anew', () => {
  expect(readAlertState({ phase: 'dancing' }, nowUs)).toEqual(newAlertState('judging', nowUs));
});

test('times of a clock that was ahead are now, and those of the past are kept', () => {
  const dayUs = 86_400_000_000;
  const timesAt = (atUs: number) => ({
    ...newAlertState('active', atUs),
    judgeAgainUs: atUs,
    activeUs: atUs,
    countsFromUs: atUs,
    steps: [{ firstUs: atUs, lastUs: atUs, step: 'a' }, null],
    flapping: { sinceUs: atUs, outages: 3, downUs: 5, downSinceUs: atUs, saidDownUs: { c: atUs } },
  });
  expect(readAlertState(timesAt(nowUs + dayUs), nowUs)).toEqual(timesAt(nowUs));
  expect(readAlertState(timesAt(nowUs - dayUs), nowUs)).toEqual(timesAt(nowUs - dayUs));
});
