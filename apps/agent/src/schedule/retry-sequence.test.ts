import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  afterAnswer,
  afterDelegation,
  afterRecorded,
  afterRetryBegan,
  afterRetryRequest,
  type DeviceRetrySequence,
  isFirstError,
  noRetrySequence,
  resumed,
} from './retry-sequence.ts';

const alone = { retries: 2, retryDelayMs: 5000, timeoutMs: 1000, retriesLocally: true, graceMs: 5000 };
const inTurn = { ...alone, retriesLocally: false };
const newId = () => 'c1';

function answered(
  sequence: DeviceRetrySequence,
  code: number,
  attempt = 0,
  rules = alone,
  retryId = attempt > 0 ? 'c1' : '',
) {
  return afterAnswer(sequence, { code, attempt, retryId, endUs: 1_000_000 }, rules, newId);
}

/** Runs an agent of its own through answers; returns which retries it made. */
function retriesOf(codes: readonly number[], rules = alone): number[] {
  let sequence = noRetrySequence;
  const retries: number[] = [];
  for (const code of codes) {
    const { state } = sequence;
    const attempt = state.kind === 'open' ? state.attempt : 0;
    if (state.kind === 'open') {
      retries.push(state.attempt);
      sequence = afterRetryBegan(sequence, state.retryId, state.attempt);
    }
    sequence = answered(sequence, code, attempt, rules).sequence;
  }
  return retries;
}

test('an error opens a retry sequence, and its own record carries the id', () => {
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

test.each([0, 1])(
  'without retries a run request for retry %i runs one check, whatever it says',
  (attempt) => {
    const none = { ...alone, retries: 0 };
    const request = { runRequestId: 'r', retryId: 'c9', attempt, atUs: 0 };
    const asked = afterRetryRequest(noRetrySequence, request);
    expect(asked?.state).toMatchObject({ kind: 'open', attempt: 1 });
    for (const [code, kind] of [
      [2, 'exhausted'],
      [1, 'none'],
    ] as const)
      expect(answered(asked ?? noRetrySequence, code, 1, none, 'c9').sequence.state.kind).toBe(kind);
  },
);

test('after all retries failed, regular checks continue without a new retry sequence until a good answer', () => {
  expect(retriesOf([2, 2, 2, 2, 2, 2])).toEqual([1, 2]);
  expect(retriesOf([2, 2, 2, 2, 1, 3, 3, 3, 3])).toEqual([1, 2, 1, 2]);
});

test('a good retry ends the retry sequence', () => {
  expect(retriesOf([2, 1, 1, 2, 2, 1])).toEqual([1, 1, 2]);
});

test('with Retries 0 there is no retry', () => {
  expect(retriesOf([2, 2, 1, 2], { ...alone, retries: 0 })).toEqual([]);
});

test.each([9, 10])('an inconclusive %i opens no retry sequence and ends an open one', (code) => {
  expect(retriesOf([code, code])).toEqual([]);
  expect(answered(answered(noRetrySequence, 2).sequence, code, 1).sequence.state).toEqual({ kind: 'none' });
});

test('after all retries failed a 10 does not make the next error a new retry sequence', () => {
  expect(retriesOf([2, 2, 2, 10, 2])).toEqual([1, 2]);
});

test('where other agents check too, the agent waits 5 s past RetryDelay for a run request', () => {
  expect(answered(noRetrySequence, 2, 0, inTurn).sequence.state).toMatchObject({
    attempt: 1,
    dueUs: 11_000_000,
  });
});

test('the controller requests retry 1 at its own time', () => {
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

test('a run request for a retry that did not begin yet takes the place of the one before', () => {
  const request = { runRequestId: 'o', retryId: 'c9', attempt: 1, atUs: 6_000_000 };
  const first = afterRetryRequest(noRetrySequence, request) ?? expect.fail();
  const second = afterRetryRequest(first, { ...request, runRequestId: 'p', atUs: 7_000_000 });
  expect(second?.state).toMatchObject({ attempt: 1, dueUs: 7_000_000, runRequestId: 'p' });
});

const open = { kind: 'open', retryId: 'c', attempt: 1, dueUs: 0, runRequestId: '' } as const;
const exhausted = { kind: 'exhausted' } as const;
const quiet = [{ kind: 'none' }, { kind: 'delegated', untilUs: 0 }] as const;
test('an error is the first one where retries begin that were not under way, and no other', () => {
  for (const before of [...quiet, open, exhausted])
    for (const after of [...quiet, open, exhausted])
      expect(isFirstError({ state: before, last: undefined }, { state: after, last: undefined })).toBe(
        before.kind !== 'open' &&
          before.kind !== 'exhausted' &&
          (after.kind === 'open' || after.kind === 'exhausted'),
      );
});

test('a run request for a retry that already began is late, under any retry id', () => {
  const begun = afterRetryBegan(answered(noRetrySequence, 2, 0, inTurn).sequence, 'c1', 1);
  for (const retryId of ['c1', 'other']) {
    expect(afterRetryRequest(begun, { runRequestId: 'o', retryId, attempt: 1, atUs: 0 })).toBeUndefined();
  }
  expect(afterRetryRequest(begun, { runRequestId: 'o', retryId: 'c1', attempt: 2, atUs: 0 })).toBeDefined();
});

test('after a retry sequence ended, a run request for it is late, and one for a new retry sequence is not', () => {
  const begun = afterRetryBegan(answered(noRetrySequence, 2).sequence, 'c1', 1);
  const ended = answered(begun, 1, 1).sequence;
  expect(afterRetryRequest(ended, { runRequestId: 'o', retryId: 'c1', attempt: 1, atUs: 0 })).toBeUndefined();
  expect(afterRetryRequest(ended, { runRequestId: 'o', retryId: 'c2', attempt: 1, atUs: 0 })).toBeDefined();
});

test('during a delegated retry sequence regular checks continue here, and after its time errors count again', () => {
  const taken = afterDelegation(answered(noRetrySequence, 2, 0, inTurn).sequence, 0, inTurn);
  expect(taken.state).toEqual({ kind: 'delegated', untilUs: 23_000_000 });
  expect(answered(taken, 2, 0, inTurn).sequence.state.kind).toBe('delegated');
  const later = afterAnswer(taken, { code: 2, attempt: 0, retryId: '', endUs: 23_000_000 }, inTurn, newId);
  expect(later.sequence.state.kind).toBe('open');
});

test('a retry sequence derived again from its records, all or only the last ones, is the same', () => {
  const history = fc.array(fc.constantFrom(1, 2, 3, 9, 10), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(history, fc.integer({ min: 1, max: 4 }), fc.nat(), (codes, retries, where) => {
      const rules = { ...alone, retries };
      let sequence = noRetrySequence;
      let ids = 0;
      const states = [sequence];
      const records = codes.map((code, i) => {
        const { state } = sequence;
        const attempt = state.kind === 'open' ? state.attempt : 0;
        const retryId = state.kind === 'open' ? state.retryId : '';
        if (state.kind === 'open') sequence = afterRetryBegan(sequence, retryId, attempt);
        const answer = { code, attempt, retryId, endUs: i * 60_000_000 };
        const after = afterAnswer(sequence, answer, rules, () => `c${++ids}`);
        sequence = after.sequence;
        states.push(sequence);
        return { ...answer, retryId: after.retryId };
      });
      const replayed = (from: DeviceRetrySequence, first: number) =>
        records.slice(first).reduce((before, record) => afterRecorded(before, record, rules), from);
      expect(replayed(noRetrySequence, 0).state).toEqual(sequence.state);
      expect(replayed(sequence, 0).state).toEqual(sequence.state);
      const middle = where % states.length;
      expect(replayed(states[middle] ?? noRetrySequence, middle).state).toEqual(sequence.state);
      expect(replayed(sequence, middle).state).toEqual(sequence.state);
    }),
  );
});

test('a stored retry that is overdue runs at once, and one that is due later than RetryDelay runs at RetryDelay', () => {
  const { sequence } = answered(noRetrySequence, 2);
  const at = (nowUs: number) => {
    const { state } = resumed(sequence, alone, nowUs);
    return state.kind === 'open' ? state.dueUs : undefined;
  };
  expect(at(2_000_000)).toBe(6_000_000);
  expect(at(3_600_000_000)).toBe(3_600_000_000);
  expect(at(-3_600_000_000)).toBe(-3_590_000_000);
});
