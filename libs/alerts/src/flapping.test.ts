import { expect, test } from 'vitest';
import type { AlertFacts } from './alert-facts.ts';
import { type AlertState, newAlertState } from './alert-state.ts';
import { decide } from './decide.ts';
import { afterDown, afterUp } from './status-changes.ts';
import {
  base,
  device,
  everybody,
  judging,
  master,
  minute,
  nowUs,
  outcome,
  deviceUp as up,
  upNow,
} from './testing/alert-fixture.ts';

/** Two outages of three minutes each ended before; the present one began three minutes ago. */
const twice = [16, 10].map((before) => ({
  activeUs: nowUs - (before - 1) * minute,
  sinceUs: nowUs - before * minute,
  upUs: nowUs - (before - 3) * minute,
}));
const thirdUp = { ...upNow, recent: twice };

test('the third outage within 30 minutes is one problem, and its end comes after 30 quiet minutes', () => {
  const opened = decide(judging, base).state;
  const flapping = decide(afterUp(opened, thirdUp), up);
  expect(outcome(flapping)).toBe('flapping flapping>a');
  expect(flapping.closes).toBe(false);
  expect(flapping.state.flapping).toMatchObject({
    outages: 3,
    downUs: 9 * minute,
    sinceUs: nowUs - 16 * minute,
  });
  expect(outcome(decide(flapping.state, { ...up, nowUs: nowUs + 29 * minute }))).toBe('flapping');
  expect(outcome(decide(flapping.state, { ...up, nowUs: nowUs + 30 * minute }))).toBe('ended end>a closed');
});

test('a device that flaps and is Down for two minutes is said to be Down, once in 30 minutes, and never Up', () => {
  const flapping = decide(afterUp(decide(judging, base).state, thirdUp), up).state;
  const sinceUs = nowUs + 20 * minute;
  const down = afterDown(flapping, { sinceUs, nowUs: sinceUs });
  expect(down.events).toMatchObject([{ reason: 'flapping' }]);
  expect(outcome(decide(down.state, { ...base, nowUs: sinceUs + 2 * minute - 1 }))).toBe('flapping');
  const said = decide(down.state, { ...base, nowUs: sinceUs + 2 * minute });
  expect(outcome(said)).toBe('flapping flapping>a');
  expect(outcome(decide(said.state, { ...base, nowUs: sinceUs + 10 * minute }))).toBe('flapping');
  const upUs = sinceUs + 10 * minute;
  const back = afterUp(said.state, { sinceUs: nowUs, upUs, nowUs: upUs });
  expect(back.flapping).toMatchObject({ outages: 4, downUs: 19 * minute, downSinceUs: null });
  expect(outcome(decide(back, { ...up, nowUs: upUs }))).toBe('flapping');
  const again = afterDown(back, { sinceUs: upUs + minute, nowUs: upUs + minute }).state;
  expect(outcome(decide(again, { ...base, nowUs: upUs + 3 * minute }))).toBe('flapping');
  expect(outcome(decide(again, { ...base, nowUs: upUs + 11 * minute }))).toBe('flapping flapping>a');
  const later = afterDown(back, { sinceUs: upUs + 18 * minute, nowUs: upUs + 18 * minute }).state;
  expect(outcome(decide(later, { ...base, nowUs: upUs + 22 * minute }))).toBe('flapping flapping>a');
});

test('a device that flaps and stays Down for 30 minutes is an outage of its own again', () => {
  const flapping = decide(afterUp(decide(judging, base).state, thirdUp), up).state;
  const down = afterDown(flapping, { sinceUs: nowUs + minute, nowUs: nowUs + minute }).state;
  const quiet = decide(down, { ...base, nowUs: nowUs + 31 * minute });
  expect(outcome(quiet)).toBe('active alert() opening>a');
  expect(quiet.state.flapping).toBeNull();
});

test.each<[string, Partial<AlertFacts>]>([
  ['is acknowledged', { acknowledged: true }],
  ['is snoozed', { snoozedUntilUs: nowUs + 100 * minute }],
  ['is in maintenance', { device: { ...device, maintenanceUntilUs: nowUs + 100 * minute } }],
  ['is behind a master that is Down', { device: { ...device, master: { ...master, status: 'Down' } } }],
])('a device that flaps and %s is not said to be Down', (_name, facts) => {
  const flapping = decide(afterUp(decide(judging, base).state, thirdUp), up).state;
  const down = afterDown(flapping, { sinceUs: nowUs + minute, nowUs: nowUs + minute }).state;
  expect(decide(down, { ...base, ...facts, nowUs: nowUs + 4 * minute }).messages).toMatchObject(
    'acknowledged' in facts ? [{ about: 'acknowledged' }] : [],
  );
});

test('a step that no single outage reaches gets the flapping: its delay counts from the first outage', () => {
  const late = everybody.steps.map((step) => ({ ...step, delayMinutes: 20, contactIds: ['late'] }));
  const schedule = { ...everybody, steps: late };
  const opened = decide(judging, { ...base, schedule }).state;
  expect(opened.notified).toEqual([]);
  const flapping = decide(afterUp(opened, thirdUp), { ...up, schedule });
  expect(outcome(flapping)).toBe('flapping');
  expect(flapping.dueUs).toBeLessThanOrEqual(nowUs + 5 * minute);
  const due = decide(flapping.state, { ...up, schedule, nowUs: nowUs + 5 * minute });
  expect(outcome(due)).toBe('flapping flapping>late');
  expect(outcome(decide(due.state, { ...up, schedule, nowUs: nowUs + 30 * minute }))).toBe(
    'ended end>late closed',
  );
});

test('a flapping that is decided late, when the device is Down again, is said once', () => {
  const late = afterUp(decide(judging, base).state, thirdUp);
  const down = afterDown(late, { sinceUs: nowUs + minute, nowUs: nowUs + minute }).state;
  for (const minutes of [2, 5]) {
    const said = decide(down, { ...base, nowUs: nowUs + minutes * minute });
    expect(outcome(said)).toBe('flapping flapping>a');
    expect(said.state.flapping).toMatchObject({ outages: 4 });
    expect(outcome(decide(said.state, { ...base, nowUs: nowUs + 9 * minute }))).toBe('flapping');
  }
});

test('a contact that hears of the begin of a flapping by two rules gets one message', () => {
  const second = everybody.steps.map((step) => ({ ...step, delayMinutes: 10 }));
  const schedule = { ...everybody, steps: [...everybody.steps, ...second] };
  const opened = decide(judging, { ...base, schedule }).state;
  const flapping = decide(afterUp(opened, thirdUp), { ...up, schedule });
  expect(outcome(flapping)).toBe('flapping flapping>a');
});

test('a flapping whose schedule was taken away is said to nobody, and closes what it opened elsewhere once', () => {
  const opened = decide(judging, base).state;
  const gone = decide(afterUp(opened, thirdUp), { ...up, schedule: null });
  expect(outcome(gone)).toBe('flapping schedule closed>a');
  const sinceUs = nowUs + minute;
  const down = afterDown(gone.state, { sinceUs, nowUs: sinceUs }).state;
  const later = { ...base, nowUs: sinceUs + 3 * minute };
  expect(outcome(decide(down, { ...later, schedule: null }))).toBe('flapping');
  expect(outcome(decide(down, later))).toBe('flapping flapping>a');
});

test('at night nobody of a step for the day hears that a device that flaps is Down, but in the morning', () => {
  const day = 24 * 60 * minute;
  const morningUs = Math.ceil(nowUs / day) * day + 8 * 60 * minute;
  const byDay = everybody.steps.map((step) => ({ ...step, from: '08:00', to: '18:00' }));
  const schedule = { ...everybody, steps: byDay };
  const fellUs = morningUs - 20 * minute;
  const down: AlertState = {
    ...newAlertState('flapping', fellUs),
    activeUs: morningUs - 900 * minute,
    notified: ['a'],
    steps: [{ firstUs: 0, lastUs: 0 }],
    flapping: { sinceUs: 0, outages: 9, downUs: 0, downSinceUs: fellUs, saidDownUs: {} },
  };
  const facts = { ...base, schedule, times: { ...base.times, recheckUs: day } };
  const night = decide(down, { ...facts, nowUs: fellUs + 5 * minute });
  expect([outcome(night), night.dueUs]).toEqual(['flapping', morningUs]);
  expect(outcome(decide(night.state, { ...facts, nowUs: morningUs }))).toBe('flapping flapping>a');
});
