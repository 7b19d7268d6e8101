import { expect, test } from 'vitest';
import type { AlertFacts } from './alert-facts.ts';
import { afterDown, afterUp } from './alert-state.ts';
import { decide } from './decide.ts';
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

test('a device that flaps and is Down for two minutes is said to be Down, once in an outage, and never Up', () => {
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
  expect(outcome(decide(again, { ...base, nowUs: upUs + 3 * minute }))).toBe('flapping flapping>a');
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

test('a flapping that is decided late, when the device is Down for two minutes, is said once', () => {
  const late = afterUp(decide(judging, base).state, thirdUp);
  const down = afterDown(late, { sinceUs: nowUs + minute, nowUs: nowUs + minute }).state;
  const said = decide(down, { ...base, nowUs: nowUs + 5 * minute });
  expect(outcome(said)).toBe('flapping flapping>a');
  expect(said.state.flapping).toMatchObject({ saysDown: true, outages: 4 });
  const soon = decide(down, { ...base, nowUs: nowUs + 2 * minute });
  expect(soon.state.flapping).toMatchObject({ saysDown: false });
  expect(outcome(decide(soon.state, { ...base, nowUs: nowUs + 3 * minute }))).toBe('flapping flapping>a');
});
