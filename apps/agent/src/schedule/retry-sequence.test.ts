import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  afterAnswer,
  afterDelegation,
  afterRecorded,
  afterRetryBegan,
  afterRetryRequest,
  noRetrySequence,
  type RetrySequence,
  resumed,
} from './retry-sequence.ts';

const alone = { retries: 2, retryDelayMs: 5000, timeoutMs: 1000, retriesLocally: true, graceMs: 5000 };
const inTurn = { ...alone, retriesLocally: false };
const newId = () => 'c1';

function answered(
  chain: RetrySequence,
  code: number,
  attempt = 0,
  rules = alone,
  retryId = attempt > 0 ? 'c1' : '',
) {
  return afterAnswer(chain, { code, attempt, retryId, endUs: 1_000_000 }, rules, newId);
}

/** Runs an agent of its own through answers; returns which retries it made. */
function retriesOf(codes: readonly number[], rules = alone): number[] {
  let chain = noRetrySequence;
  const retries: number[] = [];
  for (const code of codes) {
    const { state } = chain;
    const attempt = state.kind === 'open' ? state.attempt : 0;
    if (state.kind === 'open') {
      retries.push(state.attempt);
      chain = afterRetryBegan(chain, state.retryId, state.attempt);
    }
    chain = answered(chain, code, attempt, rules).sequence;
  }
  return retries;
}

test('an error opens a retry sequence, whose id its own record carries', () => {
  const { sequence, retryId } = answered(noRetrySequence, 2);
  expect(retryId).toBe('c1');
  expect(sequence.state).toEqual({
    kind: 'open',
    retryId: 'c1',
    attempt: 1,
    dueUs: 6_000_000,
    runRequestId: '',
  });
});

test('all retries failed: regular checks go on, and no new retry sequence before a good answer', () => {
  expect(retriesOf([2, 2, 2, 2, 2, 2])).toEqual([1, 2]);
  expect(retriesOf([2, 2, 2, 2, 1, 3, 3, 3, 3])).toEqual([1, 2, 1, 2]);
});

test('a good retry ends the retry sequence', () => {
  expect(retriesOf([2, 1, 1, 2, 2, 1])).toEqual([1, 1, 2]);
});

test('without retries nothing is tried again', () => {
  expect(retriesOf([2, 2, 1, 2], { ...alone, retries: 0 })).toEqual([]);
});

test.each([9, 10])('a %i says nothing about the device: it opens no retry sequence and ends one', (code) => {
  expect(retriesOf([code, code])).toEqual([]);
  expect(answered(answered(noRetrySequence, 2).sequence, code, 1).sequence.state).toEqual({ kind: 'none' });
});

test('after all retries failed a 10 does not make the next error a new retry sequence', () => {
  expect(retriesOf([2, 2, 2, 10, 2])).toEqual([1, 2]);
});

test('where others observe too the agent waits 5 s longer than RetryDelay for the word of the controller', () => {
  expect(answered(noRetrySequence, 2, 0, inTurn).sequence.state).toMatchObject({
    attempt: 1,
    dueUs: 11_000_000,
  });
});

test('the controller orders retry 1 at its own time', () => {
  const { sequence } = answered(noRetrySequence, 2, 0, inTurn);
  const ordered = afterRetryRequest(sequence, {
    runRequestId: 'o',
    retryId: 'c1',
    attempt: 1,
    atUs: 6_000_000,
  });
  expect(ordered?.state).toEqual({
    kind: 'open',
    retryId: 'c1',
    attempt: 1,
    dueUs: 6_000_000,
    runRequestId: 'o',
  });
});

test('an order for a retry that was begun is too late, under whatever retry sequence id', () => {
  const begun = afterRetryBegan(answered(noRetrySequence, 2, 0, inTurn).sequence, 'c1', 1);
  for (const retryId of ['c1', 'other']) {
    expect(afterRetryRequest(begun, { runRequestId: 'o', retryId, attempt: 1, atUs: 0 })).toBeUndefined();
  }
  expect(afterRetryRequest(begun, { runRequestId: 'o', retryId: 'c1', attempt: 2, atUs: 0 })).toBeDefined();
});

test('after a retry sequence ended an order of that retry sequence is too late, one of a new retry sequence is not', () => {
  const begun = afterRetryBegan(answered(noRetrySequence, 2).sequence, 'c1', 1);
  const ended = answered(begun, 1, 1).sequence;
  expect(afterRetryRequest(ended, { runRequestId: 'o', retryId: 'c1', attempt: 1, atUs: 0 })).toBeUndefined();
  expect(afterRetryRequest(ended, { runRequestId: 'o', retryId: 'c2', attempt: 1, atUs: 0 })).toBeDefined();
});

test('a retry sequence taken elsewhere leaves regular checks here, and its time over, errors count again', () => {
  const taken = afterDelegation(answered(noRetrySequence, 2, 0, inTurn).sequence, 0, inTurn);
  expect(taken.state).toEqual({ kind: 'delegated', untilUs: 23_000_000 });
  expect(answered(taken, 2, 0, inTurn).sequence.state.kind).toBe('delegated');
  const later = afterAnswer(taken, { code: 2, attempt: 0, retryId: '', endUs: 23_000_000 }, inTurn, newId);
  expect(later.sequence.state.kind).toBe('open');
});

test('read again from its records, in whole or from anywhere before its last ones, a chain stands where it stood', () => {
  const history = fc.array(fc.constantFrom(1, 2, 3, 9, 10), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(history, fc.integer({ min: 1, max: 4 }), fc.nat(), (codes, retries, where) => {
      const rules = { ...alone, retries };
      let chain = noRetrySequence;
      let ids = 0;
      const states = [chain];
      const records = codes.map((code, i) => {
        const { state } = chain;
        const attempt = state.kind === 'open' ? state.attempt : 0;
        const retryId = state.kind === 'open' ? state.retryId : '';
        if (state.kind === 'open') chain = afterRetryBegan(chain, retryId, attempt);
        const answer = { code, attempt, retryId, endUs: i * 60_000_000 };
        const after = afterAnswer(chain, answer, rules, () => `c${++ids}`);
        chain = after.sequence;
        states.push(chain);
        return { ...answer, retryId: after.retryId };
      });
      const replayed = (from: RetrySequence, first: number) =>
        records.slice(first).reduce((before, record) => afterRecorded(before, record, rules), from);
      expect(replayed(noRetrySequence, 0).state).toEqual(chain.state);
      expect(replayed(chain, 0).state).toEqual(chain.state);
      const middle = where % states.length;
      expect(replayed(states[middle] ?? noRetrySequence, middle).state).toEqual(chain.state);
      expect(replayed(chain, middle).state).toEqual(chain.state);
    }),
  );
});

test('a chain is gone on with at once where its retry is overdue, and at RetryDelay where the clock says later', () => {
  const { sequence } = answered(noRetrySequence, 2);
  const at = (nowUs: number) => {
    const { state } = resumed(sequence, alone, nowUs);
    return state.kind === 'open' ? state.dueUs : undefined;
  };
  expect(at(2_000_000)).toBe(6_000_000);
  expect(at(3_600_000_000)).toBe(3_600_000_000);
  expect(at(-3_600_000_000)).toBe(-3_590_000_000);
});
