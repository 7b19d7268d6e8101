import { expect, test } from 'vitest';
import type { OpenRetrySequence } from './fold-state.ts';
import { nextRetry, type RetryQuestion } from './next-retry.ts';

const second = 1_000_000;
const retrySequence: OpenRetrySequence = {
  retryId: null,
  opened: { startUs: 0, agentNo: 11 },
  firstErrorEndUs: 1 * second,
  revision: 1,
  failedAttempts: [],
  failing: [1],
  lastEndUs: 1 * second,
  lastLocationNo: 1,
  lastAgentNo: 11,
};
const here = { agentNo: 11, locationNo: 1, isAssigned: true };
const second1 = { agentNo: 12, locationNo: 1, isAssigned: false };
const there = { agentNo: 21, locationNo: 2, isAssigned: true };
const there2 = { agentNo: 22, locationNo: 2, isAssigned: false };
const third = { agentNo: 31, locationNo: 3, isAssigned: true };

function ask(more: Partial<RetryQuestion>) {
  return nextRetry({
    retrySequence,
    retries: 2,
    retryDelayUs: 5 * second,
    timeoutUs: 30 * second,
    graceUs: 5 * second,
    candidates: [here, there],
    requested: [],
    agentRetriesLocally: true,
    nowUs: 1 * second,
    ...more,
  });
}

test('the first retry comes RetryDelay after the error, from another Location', () => {
  expect(ask({})).toEqual({
    kind: 'ask',
    attempt: 1,
    candidate: there,
    notBeforeUs: 6 * second,
    deadlineUs: 41 * second,
    reason: 'another Location',
  });
});

test('the next retry goes back when only two Locations are online, to a third when it has not seen the error yet', () => {
  const answered = {
    ...retrySequence,
    failedAttempts: [1],
    failing: [1, 2],
    lastLocationNo: 2,
    lastAgentNo: 21,
  };
  expect(ask({ retrySequence: answered })).toMatchObject({ attempt: 2, candidate: here });
  expect(ask({ retrySequence: answered, candidates: [here, there, third] })).toMatchObject({
    candidate: third,
  });
});

test('with one Location the agent retries by itself; if it did not, a second agent is asked, then the first', () => {
  expect(ask({ candidates: [here] })).toMatchObject({ kind: 'leave', reason: 'the agent retries locally' });
  expect(ask({ candidates: [here, second1], agentRetriesLocally: false })).toMatchObject({
    candidate: second1,
  });
  expect(ask({ candidates: [here], agentRetriesLocally: false })).toMatchObject({
    candidate: here,
    reason: 'the same agent',
  });
});

test('two agents of one Location alternate; the agent of the device is asked before others of its Location', () => {
  const candidates = [here, second1];
  const alone = { candidates, agentRetriesLocally: false };
  expect(ask(alone)).toMatchObject({ candidate: second1, reason: 'another agent of the Location' });
  const answered = { ...retrySequence, failedAttempts: [1], lastAgentNo: 12 };
  expect(ask({ ...alone, retrySequence: answered })).toMatchObject({ attempt: 2, candidate: here });
  expect(ask({ candidates: [here, second1, there2, there] })).toMatchObject({ candidate: there });
});

test('only one retry is open at a time; an agent without an answer that counts comes after the others for the same k', () => {
  const open = { attempt: 1, agentNo: 21, state: 'open' } as const;
  expect(ask({ requested: [open] })).toMatchObject({ kind: 'leave', reason: 'already requested' });
  const ended = { ...open, state: 'ended' } as const;
  expect(ask({ requested: [ended] })).toMatchObject({ attempt: 1, candidate: here });
  expect(ask({ requested: [ended], candidates: [here, there, third] })).toMatchObject({
    attempt: 1,
    candidate: third,
  });
});

test('when all retries failed in one Location only, another is asked for the last one', () => {
  const alone = { ...retrySequence, failedAttempts: [1, 2] };
  expect(ask({ retrySequence: alone })).toMatchObject({ attempt: 2, candidate: there });
  expect(ask({ retrySequence: alone, candidates: [here] })).toMatchObject({
    kind: 'leave',
    reason: 'no agent can retry',
  });
});

test('without retries another Location is asked for retry 1, which is no regular check', () => {
  const alone = { ...retrySequence, failedAttempts: [] };
  expect(ask({ retrySequence: alone, retries: 0 })).toMatchObject({ attempt: 1, candidate: there });
});
