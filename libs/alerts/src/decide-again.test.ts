import { expect, test } from 'vitest';
import { newAlertState } from './alert-state.ts';
import { decide } from './decide.ts';
import type { MasterFacts } from './decide-master.ts';
import { base, device, judging, master, nowUs } from './testing/alert-fixture.ts';

const bad = { kind: 'answered', verdict: 'bad', endUs: nowUs - 1 } as const;

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
