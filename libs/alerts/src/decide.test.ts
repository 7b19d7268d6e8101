import { expect, test } from 'vitest';
import type { AlertDecision, AlertedDevice, AlertFacts } from './alert-facts.ts';
import { type AlertState, newAlertState } from './alert-state.ts';
import { decide } from './decide.ts';
import type { MasterFacts, RequestedCheck } from './decide-master.ts';
import { afterUp } from './status-changes.ts';
import {
  base,
  device,
  deviceUp,
  everybody,
  judging,
  master,
  minute,
  nowUs,
  outcome,
  upNow,
} from './testing/alert-fixture.ts';

function answered(verdict: 'good' | 'bad' | 'inconclusive'): RequestedCheck {
  return { kind: 'answered', verdict, endUs: nowUs - 1 };
}

test.each<[string, Partial<MasterFacts> | null, RequestedCheck, string]>([
  ['none', null, { kind: 'none' }, 'active alert() opening>a'],
  [
    'paused',
    { enabled: false },
    { kind: 'none' },
    'active alert(master gw not verified: it is paused) opening>a',
  ],
  ['Down', { status: 'Down' }, { kind: 'none' }, 'suppressed master'],
  ['Down in maintenance', { status: 'Down', inMaintenance: true }, { kind: 'none' }, 'suppressed master'],
  ['Up, not checked yet', {}, { kind: 'none' }, 'judging check master'],
  [
    'nobody can check it',
    { canBeChecked: false },
    { kind: 'none' },
    'active alert(master gw not verified: no agent that saw the failure is connected) opening>a',
  ],
  ['not answered yet', {}, { kind: 'open', deadlineUs: nowUs }, 'judging'],
  [
    'past the deadline',
    {},
    { kind: 'open', deadlineUs: nowUs - 1 },
    'active alert(master gw not verified: its check was not answered in time) opening>a',
  ],
  ['not answered, but it is being retried', { retrying: true }, { kind: 'unanswered' }, 'judging'],
  ['good', {}, answered('good'), 'active alert() opening>a'],
  ['good in maintenance', { inMaintenance: true }, answered('good'), 'active alert() opening>a'],
  [
    'inconclusive',
    {},
    answered('inconclusive'),
    'active alert(master gw not verified: its check was inconclusive) opening>a',
  ],
  ['bad in maintenance', { inMaintenance: true }, answered('bad'), 'suppressed master'],
  ['bad, being retried', { retrying: true }, answered('bad'), 'judging'],
  ['bad, its retry was good', {}, answered('bad'), 'confirming check device'],
  [
    'bad and Unknown',
    { status: 'Unknown' },
    answered('bad'),
    'active alert(master gw not verified: it is Unknown) opening>a',
  ],
  ['a one-off that fails', { isCheckedHere: false }, answered('bad'), 'judging check master'],
])('a device whose master is %s', (_name, facts, check, expected) => {
  const facing = { ...device, master: facts === null ? null : { ...master, ...facts } };
  expect(outcome(decide(judging, { ...base, device: facing, check }))).toBe(expected);
});

test('one-offs that fail as often as a whole retry sequence suppress the alert', () => {
  const facing = { ...device, master: { ...master, isCheckedHere: false } };
  const state = { ...judging, failedChecks: 1 };
  expect(outcome(decide(state, { ...base, device: facing, check: answered('bad') }))).toBe(
    'suppressed master',
  );
});

test.each<[string, AlertState['phase'], Partial<AlertedDevice> | 'missing', RequestedCheck, string]>([
  ['deleted', 'active', 'missing', { kind: 'none' }, 'active closed'],
  ['paused', 'judging', { enabled: false }, { kind: 'none' }, 'judging closed'],
  [
    'not checked, because its Location is offline',
    'judging',
    { isChecked: false },
    { kind: 'none' },
    'judging',
  ],
  ['Unknown', 'active', { status: 'Unknown' }, { kind: 'none' }, 'active'],
  ['Up though no event said so', 'suppressed', { status: 'Up' }, { kind: 'none' }, 'ended closed'],
  [
    'in maintenance',
    'judging',
    { maintenanceUntilUs: nowUs + 1 },
    { kind: 'none' },
    'maintenance maintenance',
  ],
  ['out of maintenance and Down', 'maintenance', {}, { kind: 'none' }, 'active alert() opening>a'],
  ['Down by late results', 'late', {}, { kind: 'none' }, 'late check device'],
  ['Down by late results and a live check', 'late', {}, answered('bad'), 'active alert() opening>a'],
  ['Down by late results, no answer', 'late', {}, { kind: 'unanswered' }, 'late'],
  ['behind a master that is back', 'suppressed', { master }, { kind: 'none' }, 'judging check master'],
  [
    'behind a master that was Down',
    'judging',
    { master, masterWasDown: true },
    answered('good'),
    'confirming check device',
  ],
  [
    'Down after the first check of its own sequence',
    'confirming',
    {},
    answered('bad'),
    'confirming check device',
  ],
])('a device that is %s', (_name, phase, facts, check, expected) => {
  const state = { ...newAlertState(phase, nowUs), requestId: 'r', ownChecks: 'sequence' as const };
  const plain =
    phase === 'confirming' || phase === 'suppressed' ? state : { ...state, ownChecks: 'none' as const };
  const about = facts === 'missing' ? facts : { ...device, ...facts };
  expect(outcome(decide(plain, { ...base, device: about, check }))).toBe(expected);
});

test.each<[string, Partial<AlertFacts>, string]>([
  ['no schedule', { schedule: null }, 'active alert() schedule'],
  [
    'no step for its severity',
    {
      severity: 'info',
      schedule: {
        ...everybody,
        steps: everybody.steps.map((step) => ({ ...step, severities: ['critical'] })),
      },
    },
    'active alert() schedule',
  ],
  ['an acknowledgement', { acknowledged: true }, 'active alert()'],
  ['a snooze', { snoozedUntilUs: nowUs + 1 }, 'active alert()'],
])('an alert with %s notifies nobody', (_name, facts, expected) => {
  expect(outcome(decide(judging, { ...base, ...facts }))).toBe(expected);
});

test('Up goes to everyone who was notified of Down, at any hour, also after an acknowledgement', () => {
  const closed = { ...everybody, steps: everybody.steps.map((step) => ({ ...step, days: [] })) };
  const opened = decide(judging, base).state;
  const ended = afterUp({ ...opened, notified: ['a', 'b'] }, upNow);
  const facts = { ...deviceUp, schedule: closed, acknowledged: true };
  expect(outcome(decide(ended, facts))).toBe('ended end>a+b closed');
});

test('an outage that is over before its message was due notifies nobody', () => {
  const later = { ...everybody, steps: everybody.steps.map((step) => ({ ...step, delayMinutes: 5 })) };
  const opened = decide(judging, { ...base, schedule: later }).state;
  expect(outcome(decide(afterUp(opened, upNow), deviceUp))).toBe('ended schedule closed');
});

test('an alert whose schedule is taken away closes its incidents, once, and opens them with the next schedule', () => {
  const opened = decide(judging, base).state;
  const without = decide(opened, { ...base, schedule: null });
  expect(outcome(without)).toBe('active schedule closed>a');
  expect(without.closes).toBe(false);
  expect(outcome(decide(without.state, { ...base, schedule: null }))).toBe('active');
  expect(outcome(decide(without.state, base))).toBe('active opening>a');
});

test('a new alert has notified nobody, said nothing and closed nothing', () => {
  expect(newAlertState('judging', 5, 3)).toEqual({
    phase: 'judging',
    phaseSinceUs: 5,
    judgedFromUs: 3,
    requestId: null,
    failedChecks: 0,
    ownChecks: 'none',
    judgeAgainUs: null,
    activeUs: null,
    countsFromUs: null,
    steps: [],
    note: null,
    notified: [],
    past: [],
    flapping: null,
    announcesFlapping: false,
    closedElsewhere: false,
    announcedAcknowledgement: false,
    heardElsewhere: [],
    suppressions: [],
  });
});

test('the check of a master is asked after its deadline, a microsecond later', () => {
  const open = { kind: 'open' as const, deadlineUs: nowUs + 7 };
  const facts = { ...base, device: { ...device, master }, check: open };
  expect(decide(judging, facts).dueUs).toBe(nowUs + 8);
});

test('an alert that ended while its device is Down says nothing before the device is Up', () => {
  const ended = { ...newAlertState('ended', nowUs), notified: ['a'] };
  expect(outcome(decide(ended, base))).toBe('ended');
  expect(outcome(decide(ended, deviceUp))).toBe('ended end>a closed');
  expect(outcome(decide(ended, { ...base, device: { ...device, enabled: false } }))).toBe(
    'ended end>a closed',
  );
});

test('a schedule that cannot be read notifies nobody and closes no incident, and its alert goes on when it can be read', () => {
  const opened = decide(judging, base).state;
  const unread = decide(opened, { ...base, schedule: 'unreadable' });
  expect(outcome(unread)).toBe('active');
  expect(unread.reason).toMatch(/cannot read/);
  expect(outcome(decide(unread.state, base))).toBe('active');
  const fresh = decide(judging, { ...base, schedule: 'unreadable' });
  expect(outcome(decide(fresh.state, base))).toBe('active opening>a');
});

const partly = { ...device, status: 'Up', isPartial: true } as const;

test.each<[string, Partial<AlertedDevice>, string]>([
  ['fails from some Locations only', {}, 'active alert() opening>a'],
  ['fails from none any more', { isPartial: false }, 'ended end>b closed'],
  ['is Down', { status: 'Down', isPartial: false }, 'active'],
  ['is in maintenance', { maintenanceUntilUs: nowUs + minute }, 'maintenance maintenance'],
  ['is paused', { enabled: false }, 'active closed>b closed'],
  ['is not checked', { isChecked: false }, 'active'],
])('an alert about Partial, when the device %s', (_name, facts, expected) => {
  const about = { ...base, isAboutPartial: true, device: { ...partly, ...facts } };
  expect(outcome(decide({ ...newAlertState('active', nowUs), notified: ['b'] }, about))).toBe(expected);
});

test('an alert about Partial says its end only to those who do not hear of it by the alert of the outage', () => {
  const about = { ...deviceUp, isAboutPartial: true };
  const state = { ...newAlertState('active', nowUs), notified: ['a', 'b'], heardElsewhere: ['b'] };
  expect(outcome(decide(state, about))).toBe('ended closed>b end>a closed');
  const goingOn = decide(state, { ...about, device: partly }).state;
  expect(outcome(decide(goingOn, about))).toBe('ended end>a+b closed');
});

test('an alert about Partial that was in maintenance notifies when the maintenance is over', () => {
  const about = { ...base, isAboutPartial: true, device: partly };
  expect(outcome(decide(newAlertState('maintenance', nowUs), about))).toBe('active alert() opening>a');
});

test('the alert of an offline Location that was deleted closes without a message', () => {
  const about = { ...base, device: null, isLocationDeleted: true };
  const state = { ...newAlertState('active', nowUs), notified: ['a'] };
  expect(outcome(decide(state, about))).toBe('active closed>a closed');
});

test.each<[string, AlertState, Partial<AlertFacts>, AlertDecision['withdraws']]>([
  ['a device that is paused: all of its', judging, { device: { ...device, enabled: false } }, 'all'],
  ['a device that is Up again: the repeats', newAlertState('ended', nowUs), deviceUp, 'repeats'],
  ['an acknowledged alert: the repeats', newAlertState('active', nowUs), { acknowledged: true }, 'repeats'],
  ['an open alert: none', newAlertState('active', nowUs), {}, null],
])('messages that nobody tried to send are withdrawn of %s', (_name, state, facts, expected) => {
  expect(decide(state, { ...base, ...facts }).withdraws).toBe(expected);
});

test('an alert about one moment closes with its last step', () => {
  const moment = { ...base, device: null, isMoment: true };
  expect(outcome(decide(newAlertState('active', nowUs), moment))).toBe('active opening>a closed');
  const steps = [...everybody.steps, ...everybody.steps.map((step) => ({ ...step, delayMinutes: 5 }))];
  const first = decide(newAlertState('active', nowUs), { ...moment, schedule: { ...everybody, steps } });
  expect(outcome(first)).toBe('active opening>a');
  const last = { ...moment, schedule: { ...everybody, steps }, nowUs: nowUs + 5 * minute };
  expect(outcome(decide(first.state, last))).toBe('active opening>a closed');
});

test('a summary notifies when no outage was added for a minute', () => {
  const moment = { ...base, device: null, isMoment: true };
  const collecting = newAlertState('collecting', nowUs);
  expect(outcome(decide(collecting, moment))).toBe('collecting');
  expect(outcome(decide(collecting, { ...moment, nowUs: nowUs + minute }))).toBe(
    'active alert() opening>a closed',
  );
});

test('an alert that waits for the end of a maintenance is decided at its end, or after the recheck, whichever is first', () => {
  for (const state of [judging, { ...newAlertState('flapping', nowUs), activeUs: nowUs }])
    for (const [inUs, expected] of [
      [7, 7],
      [5 * minute, minute],
    ] as const) {
      const facts = { ...base, device: { ...device, maintenanceUntilUs: nowUs + inUs } };
      expect(decide(state, facts).dueUs).toBe(nowUs + expected);
    }
});

test('a reason stays while its phase lasts, and ends with it', () => {
  const behind = { ...base, device: { ...device, master: { ...master, status: 'Down' as const } } };
  const held = decide(judging, behind);
  expect(held.reason).toContain('its master');
  const again = decide(held.state, { ...behind, reason: held.reason });
  expect(again.reason).toBe(held.reason);
  const sent = decide(again.state, { ...base, reason: again.reason });
  expect(sent.state.phase).not.toBe('suppressed');
  expect(sent.reason).toBeNull();
});
