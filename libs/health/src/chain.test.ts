import { expect, test } from 'vitest';
import { nextRetry, type RetryQuestion } from './chain.ts';
import type { Chain } from './state.ts';

const second = 1_000_000;
const chain: Chain = {
  chainId: null,
  opened: { startUs: 0, agentNo: 11 },
  firstErrorEndUs: 1 * second,
  revision: 1,
  failedKs: [],
  failing: [1],
  lastEndUs: 1 * second,
  lastLocationNo: 1,
  lastAgentNo: 11,
};
const here = { agentNo: 11, locationNo: 1, holds: true };
const second1 = { agentNo: 12, locationNo: 1, holds: false };
const there = { agentNo: 21, locationNo: 2, holds: true };
const there2 = { agentNo: 22, locationNo: 2, holds: false };
const third = { agentNo: 31, locationNo: 3, holds: true };

function ask(more: Partial<RetryQuestion>) {
  return nextRetry({
    chain,
    retries: 2,
    retryDelayUs: 5 * second,
    timeoutUs: 30 * second,
    graceUs: 5 * second,
    vantages: [here, there],
    asked: [],
    agentGoesOn: true,
    nowUs: 1 * second,
    ...more,
  });
}

test('the first retry comes RetryDelay after the error, from another Location', () => {
  expect(ask({})).toEqual({
    kind: 'ask',
    attempt: 1,
    vantage: there,
    notBeforeUs: 6 * second,
    deadlineUs: 41 * second,
    reason: 'another Location',
  });
});

test('the next one goes back when only two observe, to a third when it has not seen it yet', () => {
  const answered = { ...chain, failedKs: [1], failing: [1, 2], lastLocationNo: 2, lastAgentNo: 21 };
  expect(ask({ chain: answered })).toMatchObject({ attempt: 2, vantage: here });
  expect(ask({ chain: answered, vantages: [here, there, third] })).toMatchObject({ vantage: third });
});

test('with one Location the agent goes on by itself; if it did not, a second agent is asked, then itself', () => {
  expect(ask({ vantages: [here] })).toMatchObject({ kind: 'leave', reason: 'the agent goes on by itself' });
  expect(ask({ vantages: [here, second1], agentGoesOn: false })).toMatchObject({ vantage: second1 });
  expect(ask({ vantages: [here], agentGoesOn: false })).toMatchObject({
    vantage: here,
    reason: 'the same agent',
  });
});

test('two agents of one Location take turns; whom the device belongs to is asked before others of its Location', () => {
  const vantages = [here, second1];
  const alone = { vantages, agentGoesOn: false };
  expect(ask(alone)).toMatchObject({ vantage: second1, reason: 'another agent of the Location' });
  const answered = { ...chain, failedKs: [1], lastAgentNo: 12 };
  expect(ask({ ...alone, chain: answered })).toMatchObject({ attempt: 2, vantage: here });
  expect(ask({ vantages: [here, second1, there2, there] })).toMatchObject({ vantage: there });
});

test('nobody is asked twice at a time; who gave no answer that counts stands behind the others with the same k', () => {
  const open = { attempt: 1, agentNo: 21, state: 'open' } as const;
  expect(ask({ asked: [open] })).toMatchObject({ kind: 'leave', reason: 'already asked' });
  const ended = { ...open, state: 'ended' } as const;
  expect(ask({ asked: [ended] })).toMatchObject({ attempt: 1, vantage: here });
  expect(ask({ asked: [ended], vantages: [here, there, third] })).toMatchObject({
    attempt: 1,
    vantage: third,
  });
});

test('when all retries failed in one Location only, another is asked for the last one', () => {
  const alone = { ...chain, failedKs: [1, 2] };
  expect(ask({ chain: alone })).toMatchObject({ attempt: 2, vantage: there });
  expect(ask({ chain: alone, vantages: [here] })).toMatchObject({ kind: 'leave', reason: 'nobody can look' });
});
