import { expect, test } from 'vitest';
import type { AlertedDevice, AlertFacts } from './alert-facts.ts';
import { type AlertState, newAlertState } from './alert-state.ts';
import { decide } from './decide.ts';
import type { MasterFacts, RequestedCheck } from './decide-master.ts';
import { base, device, judging, master, minute, nowUs, outcome } from './testing/alert-fixture.ts';

const second = minute / 60;
const bad = { kind: 'answered', verdict: 'bad', endUs: nowUs - second } as const;
const none: RequestedCheck = { kind: 'none' };
/** Facts are read again so rarely that no other wait ends by it. */
const rarely = { ...base.times, recheckUs: 100 * minute };
const isDown: Partial<MasterFacts> = { status: 'Down' };
const confirming: AlertState = {
  ...newAlertState('confirming', nowUs - minute, nowUs - 2 * minute),
  requestId: 'r',
  ownChecks: 'sequence',
};

/** Minutes from now until the alert is decided again; null: never. */
const wait = (dueUs: number | null) => (dueUs === null ? null : (dueUs - nowUs) / minute);
const facing = (facts: Partial<MasterFacts> | null, more: Partial<AlertedDevice> = {}): AlertedDevice => ({
  ...device,
  ...more,
  master: facts === null ? null : { ...master, ...facts },
});

test.each<[string, AlertState, Partial<MasterFacts> | null, RequestedCheck, string]>([
  ['whose master is Down', confirming, isDown, none, 'suppressed master'],
  ['whose master is paused', confirming, { enabled: false, status: 'Down' }, none, 'confirming check device'],
  ['whose master is Up', confirming, {}, none, 'confirming check device'],
  ['without a check', { ...confirming, requestId: null }, null, none, 'confirming check device'],
  ['whose first check fails', confirming, null, bad, 'confirming check device'],
  ['whose last check fails', { ...confirming, failedChecks: 1 }, null, bad, 'active alert() opening>a'],
  ['that needs one check', { ...confirming, ownChecks: 'one' }, null, bad, 'active alert() opening>a'],
  [
    'whose check is good',
    { ...confirming, failedChecks: 1 },
    null,
    { kind: 'answered', verdict: 'good', endUs: nowUs },
    'confirming',
  ],
])('a device that is confirmed anew, %s', (_what, state, facts, check, expected) => {
  expect(outcome(decide(state, { ...base, device: facing(facts), check }))).toBe(expected);
});

test('the next check of its own comes RetryDelay after the end of the one that failed', () => {
  const decided = decide(confirming, { ...base, check: bad });
  expect(decided.request).toEqual({ target: 'device', notBeforeUs: nowUs - second + device.retryDelayUs });
  expect(decided.state).toMatchObject({ failedChecks: 1, requestId: null });
  const alone = decide(confirming, { ...base, check: bad, device: facing(null, { canBeChecked: false }) });
  expect([alone.request, wait(alone.dueUs), alone.state.requestId]).toEqual([null, 1, null]);
});

test.each<[string, RequestedCheck, number, string | null]>([
  ['open until now', { kind: 'open', deadlineUs: nowUs }, 1 / minute, 'r'],
  ['open until later', { kind: 'open', deadlineUs: nowUs + second }, 1 / 60 + 1 / minute, 'r'],
  ['past its deadline', { kind: 'open', deadlineUs: nowUs - 1 }, 1, null],
  ['unanswered', { kind: 'unanswered' }, 1, null],
])('a check of its own that is %s is waited for, or given up', (_what, check, minutes, requestId) => {
  for (const phase of ['late', 'confirming'] as const) {
    const { request, dueUs, state } = decide({ ...confirming, phase }, { ...base, check });
    expect([request, wait(dueUs), state.requestId]).toEqual([null, minutes, requestId]);
  }
});

test.each<[string, Partial<MasterFacts>, RequestedCheck, number, number]>([
  ['whose answer is due', {}, { kind: 'open', deadlineUs: nowUs + second }, 1 / 60 + 1 / minute, 0],
  ['whose answer is due in an hour', {}, { kind: 'open', deadlineUs: nowUs + 60 * minute }, 1, 0],
  ['that retries', { retrying: true, maxSequenceUs: second }, { kind: 'unanswered' }, 1 / 60, 1],
  ['that retries elsewhere', { retrying: true, isCheckedHere: false }, { kind: 'unanswered' }, 1, 0],
])('a device waits for a master %s', (_what, facts, check, minutes, failedChecks) => {
  const decided = decide(judging, { ...base, device: facing(facts), check });
  expect([decided.state.phase, wait(decided.dueUs), decided.state.failedChecks]).toEqual([
    'judging',
    minutes,
    failedChecks,
  ]);
  const again = decide({ ...judging, failedChecks: 2 }, { ...base, device: facing(facts), check });
  expect(again.state.failedChecks).toBe(2);
});

test('the next check of a master comes its RetryDelay after the one that failed, and is counted', () => {
  const decided = decide(judging, { ...base, device: facing({ isCheckedHere: false }), check: bad });
  expect(decided.request).toEqual({ target: 'master', notBeforeUs: nowUs - second + master.retryDelayUs });
  expect(decided.state).toMatchObject({ failedChecks: 1, requestId: null });
});

test('an alert behind a master is judged again when that is Up, or after a while where it was never Down', () => {
  const behind = decide(judging, { ...base, device: facing(isDown) });
  expect([behind.state.judgeAgainUs, behind.state.ownChecks, wait(behind.dueUs)]).toEqual([
    null,
    'sequence',
    1,
  ]);
  const serviced = decide(judging, { ...base, device: facing({ inMaintenance: true }), check: bad });
  expect(serviced.state.judgeAgainUs).toBe(nowUs + minute);
  for (const [minutes, phase] of [[0, 'suppressed'] as const, [1, 'judging'] as const])
    expect(
      decide(serviced.state, { ...base, device: facing({}), nowUs: nowUs + minutes * minute }).state.phase,
    ).toBe(phase);
});

const flapping: AlertState = {
  ...newAlertState('flapping', nowUs - 20 * minute),
  activeUs: nowUs - 60 * minute,
  notified: ['a'],
  steps: [{ firstUs: nowUs - 60 * minute, lastUs: nowUs - 60 * minute }],
  flapping: {
    sinceUs: nowUs - 60 * minute,
    outages: 4,
    downUs: minute,
    downSinceUs: nowUs - 20 * minute,
    saidDownUs: {},
  },
};
/** Down for so many minutes, and the last message that named a Down is so old. */
const downFor = (minutes: number, saidMinutes?: number): AlertState => ({
  ...flapping,
  flapping: {
    sinceUs: 0,
    outages: 4,
    downUs: 0,
    downSinceUs: nowUs - minutes * minute,
    saidDownUs: saidMinutes === undefined ? {} : { a: nowUs - saidMinutes * minute },
  },
});

test.each<[string, AlertState, AlertedDevice, Partial<AlertFacts>, string, number]>([
  ['Down for two minutes', flapping, device, {}, 'flapping flapping>a', 10],
  ['Down behind its master', flapping, facing(isDown), {}, 'flapping', 10],
  [
    'Down behind a paused one',
    flapping,
    facing({ ...isDown, enabled: false }),
    {},
    'flapping flapping>a',
    10,
  ],
  ['Down behind one that is Up', flapping, facing({}), {}, 'flapping flapping>a', 10],
  ['Down for a minute', downFor(1), device, {}, 'flapping', 1],
  ['said to be Down', downFor(20, 15), device, {}, 'flapping', 10],
  ['Down again, said 12 minutes ago', downFor(2, 12), device, {}, 'flapping', 8],
  ['Down again, said 26 minutes ago', downFor(2, 26), device, {}, 'flapping', 4],
  ['Down again, said half an hour ago', downFor(2, 30), device, {}, 'flapping flapping>a', 10],
  ['Down again, said an hour ago, for a minute', downFor(1, 60), device, {}, 'flapping', 1],
  ['Down for ten minutes, said 12 minutes ago', downFor(10, 12), device, {}, 'flapping flapping>a', 10],
  ['acknowledged', flapping, device, { acknowledged: true }, 'flapping acknowledged>a', 10],
  ['snoozed', flapping, device, { snoozedUntilUs: nowUs + 5 * minute }, 'flapping', 5],
  ['snoozed until now', flapping, device, { snoozedUntilUs: nowUs }, 'flapping flapping>a', 10],
  ['Up', flapping, facing(null, { status: 'Up' }), {}, 'flapping', 10],
  ['in maintenance', flapping, facing(null, { maintenanceUntilUs: nowUs + minute }), {}, 'flapping', 1],
  [
    'in a long maintenance',
    flapping,
    facing(null, { maintenanceUntilUs: nowUs + 999 * minute }),
    {},
    'flapping',
    100,
  ],
])('a device that flaps and is %s', (_what, state, now, more, expected, minutes) => {
  const decided = decide(state, { ...base, times: rarely, device: now, ...more });
  expect([outcome(decided), wait(decided.dueUs)]).toEqual([expected, minutes]);
});

test('the message that a device flaps names the Down that goes on, which is not said again', () => {
  for (const minutes of [1, 20]) {
    const decided = decide({ ...downFor(minutes), announcesFlapping: true }, { ...base, times: rarely });
    expect(decided.messages).toMatchObject([{ about: 'flapping', contactIds: ['a'] }]);
    expect(decided.state).toMatchObject({ announcesFlapping: false, flapping: { saidDownUs: { a: nowUs } } });
    expect(outcome(decide(decided.state, { ...base, nowUs: nowUs + 5 * minute }))).toBe('flapping');
  }
});

test('maintenance ends at its end or is looked at again, and is told of once', () => {
  const inside = (minutes: number) => facing(null, { maintenanceUntilUs: nowUs + minutes * minute });
  const entered = decide(judging, { ...base, device: inside(0.5) });
  expect([outcome(entered), wait(entered.dueUs)]).toEqual(['maintenance maintenance', 0.5]);
  const later = decide(entered.state, { ...base, device: inside(5) });
  expect([outcome(later), wait(later.dueUs), later.state]).toEqual(['maintenance', 1, entered.state]);
  const active = { ...newAlertState('active', nowUs), activeUs: nowUs };
  const notified = decide(active, { ...base, device: inside(5) });
  expect([outcome(notified), wait(notified.dueUs), notified.state]).toEqual(['active', 1, active]);
});

test('an alert about some Locations waits while the device is Down, and ends when all see it Up', () => {
  const partial = { ...base, isAboutPartial: true };
  const state: AlertState = {
    ...newAlertState('active', nowUs),
    activeUs: nowUs,
    notified: ['a', 'b'],
    heardElsewhere: ['b'],
  };
  const down = decide(state, partial);
  expect([outcome(down), wait(down.dueUs), down.withdraws]).toEqual(['active', 1, 'repeats']);
  const up = facing(null, { status: 'Up' });
  expect(outcome(decide(state, { ...partial, device: up }))).toBe('ended closed>b end>a closed');
  const still = decide(state, { ...partial, device: { ...up, isPartial: true } });
  expect([outcome(still), still.state.heardElsewhere]).toEqual(['active opening>a', []]);
});

test('the check of the device itself is waited for until its deadline, and not a microsecond longer', () => {
  const state = { ...newAlertState('confirming', nowUs), ownChecks: 'sequence' as const, requestId: 'r' };
  const at = (deadlineUs: number) => decide(state, { ...base, check: { kind: 'open', deadlineUs } });
  expect(at(nowUs)).toMatchObject({ dueUs: nowUs + 1, state: { phase: 'confirming' } });
  expect(at(nowUs - 1)).toMatchObject({ dueUs: nowUs + base.times.recheckUs });
});

test('a master that fails in its maintenance is judged again after a while, one that is Down when it is back', () => {
  const judged = (values: Partial<MasterFacts>) => {
    const facts = { ...base, device: { ...device, master: { ...master, ...values } } };
    return decide(judging, { ...facts, check: bad }).state.judgeAgainUs;
  };
  expect(judged({ inMaintenance: true })).toBe(nowUs + base.times.recheckUs);
  expect(judged({ status: 'Down' })).toBeNull();
});

test('a master whose retry sequence is waited for counts as failed once; then its dependent is checked before anybody is notified', () => {
  const facing = (values: Partial<MasterFacts>) => ({ ...device, master: { ...master, ...values } });
  const unanswered = { kind: 'unanswered' } as const;
  const during = decide(judging, { ...base, device: facing({ retrying: true }), check: unanswered });
  expect(during.state).toMatchObject({ phase: 'judging', failedChecks: 1 });
  const again = decide(during.state, { ...base, device: facing({ retrying: true }), check: unanswered });
  expect(again.state).toEqual(during.state);
  const over = decide(again.state, { ...base, device: facing({}), check: unanswered });
  expect(over.state).toMatchObject({ phase: 'confirming', ownChecks: 'one' });
  const elsewhere = { retrying: true, isCheckedHere: false };
  const counted = { ...judging, failedChecks: 2 };
  for (const state of [judging, counted])
    expect(decide(state, { ...base, device: facing(elsewhere), check: unanswered }).state).toEqual(state);
});

test('a master that has not answered yet has not failed', () => {
  const open = { kind: 'open', deadlineUs: nowUs } as const;
  expect(decide(judging, { ...base, device: { ...device, master }, check: open }).state).toEqual(judging);
});

test('while the device is checked because its master is back: a master that is Down again is judged anew, unless it is paused', () => {
  const state = { ...newAlertState('confirming', nowUs), ownChecks: 'one' as const };
  const phase = (values: Partial<MasterFacts>) =>
    decide(state, {
      ...base,
      device: { ...device, master: { ...master, ...values } },
      check: { kind: 'none' },
    }).state.phase;
  expect(phase({ status: 'Down' })).not.toBe('confirming');
  expect(phase({ status: 'Down', enabled: false })).toBe('confirming');
  expect(phase({ status: 'Up' })).toBe('confirming');
});

test('a reason that something else gave stays while no step is due', () => {
  const opened = decide(judging, base).state;
  const refused = { ...base, reason: 'contact a refuses messages' };
  expect(decide(opened, refused).reason).toBe('contact a refuses messages');
  const due = decide({ ...opened, steps: [], notified: [] }, refused);
  expect([due.messages.length, due.reason]).toEqual([1, null]);
});

test.each(['late', 'confirming'] as const)(
  'an alert in the phase %s, whose requested checks decide nothing, alerts after the longest time with a note',
  (phase) => {
    const begun = {
      ...newAlertState(phase, nowUs),
      ownChecks: phase === 'late' ? ('none' as const) : ('sequence' as const),
    };
    let state: AlertState = begun;
    const answers = [{ kind: 'unanswered' }, { ...bad, verdict: 'inconclusive' }] as const;
    for (let minutes = 0; minutes < 20; minutes += 1) {
      const check = answers[minutes % 2] ?? answers[0];
      const decision = decide(
        { ...state, requestId: 'r' },
        { ...base, check, nowUs: nowUs + minutes * minute },
      );
      expect(decision.state.phase).toBe(phase);
      ({ state } = decision);
    }
    const last = { ...base, check: answers[0], nowUs: nowUs + 20 * minute };
    const note = 'not confirmed by checks on request: too few of them got an answer that decides';
    const decision = decide({ ...state, requestId: 'r' }, last);
    expect(outcome(decision)).toBe(`active alert(${note}) opening>a`);
    expect(decision.reason).toBe(note);
    const open = { kind: 'open' as const, deadlineUs: nowUs + 20 * minute };
    expect(decide({ ...state, requestId: 'r' }, { ...last, check: open }).state.phase).toBe(phase);
    const isDown = { ...device, master: { ...master, status: 'Down' as const } };
    expect(outcome(decide({ ...state, requestId: 'r' }, { ...last, device: isDown }))).toBe(
      'suppressed master',
    );
    const away = decide(state, {
      ...base,
      device: { ...device, isChecked: false },
      nowUs: nowUs + 60 * minute,
    });
    expect(decide(away.state, { ...base, nowUs: nowUs + 61 * minute }).state.phase).toBe(phase);
  },
);
