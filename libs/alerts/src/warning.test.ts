import { expect, test } from 'vitest';
import type { AlertedDevice, AlertFacts } from './alert-facts.ts';
import { newAlertState } from './alert-state.ts';
import { decide } from './decide.ts';

const minute = 60_000_000;
const nowUs = 1_000_000 * minute;
const device: AlertedDevice = {
  enabled: true,
  status: 'Up',
  isChecked: true,
  maintenanceUntilUs: null,
  canBeChecked: true,
  isPartial: false,
  retries: 1,
  retryDelayUs: 10_000_000,
  maxConfirmUs: 1,
  master: null,
  masterWasDown: false,
};
const step = { delayMinutes: 0, days: null, from: null, to: null, repeatMinutes: null, severities: null };
const base: AlertFacts = {
  device,
  check: { kind: 'none' },
  severity: 'critical',
  reason: null,
  acknowledged: false,
  snoozedUntilUs: null,
  schedule: { timezone: 'UTC', steps: [{ ...step, contactIds: ['a'] }] },
  isMoment: false,
  isAboutPartial: false,
  isWarning: true,
  isLocationDeleted: false,
  times: { minuteUs: minute, recheckUs: minute, quietUs: 30 * minute },
  nowUs,
};

test.each<
  [
    facts: string,
    given: Partial<AlertedDevice>,
    isMoment: boolean,
    phase: string,
    sent: number,
    closes: boolean,
  ]
>([
  ['is Up', {}, false, 'active', 1, false],
  ['is Up, and it is about one moment', {}, true, 'active', 1, true],
  ['is Down', { status: 'Down' }, false, 'active', 1, false],
  ['is Unknown', { status: 'Unknown' }, false, 'active', 0, false],
  ['is checked from nowhere', { isChecked: false }, false, 'active', 0, false],
  ['is in maintenance', { maintenanceUntilUs: nowUs + minute }, false, 'maintenance', 0, false],
  ['is paused', { enabled: false }, false, 'active', 0, true],
])('a warning, when the device %s', (_facts, given, isMoment, phase, sent, closes) => {
  const facts = { ...base, isMoment, device: { ...device, ...given } };
  const decision = decide(newAlertState('active', nowUs), facts);
  expect(decision).toMatchObject({ closes, state: { phase } });
  expect(decision.messages.flatMap(({ contactIds }) => contactIds)).toHaveLength(sent);
});

test('a warning that ended is followed by the end to everyone who was notified', () => {
  const state = { ...newAlertState('ended', nowUs), activeUs: nowUs - minute, notified: ['a'] };
  expect(decide(state, base)).toMatchObject({
    closes: true,
    messages: [{ about: 'end', contactIds: ['a'] }],
  });
});

test('an acknowledgement is announced once to those who were notified, and to nobody where nobody was', () => {
  const facts = { ...base, acknowledged: true };
  const notified = { ...newAlertState('active', nowUs - minute), activeUs: nowUs - minute, notified: ['a'] };
  const first = decide(notified, facts);
  expect(first.messages).toEqual([{ about: 'acknowledged', contactIds: ['a'] }]);
  expect(decide(first.state, facts).messages).toEqual([]);
  expect(decide({ ...notified, notified: [] }, facts).messages).toEqual([]);
});
