import { newAlertState } from '@vantage/alerts';
import { expect, test } from 'vitest';
import { readAlertState } from './alert-facts.ts';

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
