import { expect, test } from 'vitest';
import { newAlertState } from './alert-state.ts';
import { decide } from './decide.ts';
import type { MasterFacts } from './judge-master.ts';
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
