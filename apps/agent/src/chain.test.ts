import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  afterAnswer,
  afterRecorded,
  afterRetryBegan,
  afterRetryOrder,
  afterTaken,
  type Chain,
  noChain,
  resumed,
} from './chain.ts';

const alone = { retries: 2, retryDelayMs: 5000, timeoutMs: 1000, runsChain: true, graceMs: 5000 };
const inTurn = { ...alone, runsChain: false };
const newId = () => 'c1';

function answered(chain: Chain, code: number, attempt = 0, rules = alone, chainId = attempt > 0 ? 'c1' : '') {
  return afterAnswer(chain, { code, attempt, chainId, endUs: 1_000_000 }, rules, newId);
}

/** Runs an agent of its own through answers; returns which retries it made. */
function retriesOf(codes: readonly number[], rules = alone): number[] {
  let chain = noChain;
  const retries: number[] = [];
  for (const code of codes) {
    const { phase } = chain;
    const attempt = phase.kind === 'open' ? phase.k : 0;
    if (phase.kind === 'open') {
      retries.push(phase.k);
      chain = afterRetryBegan(chain, phase.chainId, phase.k);
    }
    chain = answered(chain, code, attempt, rules).chain;
  }
  return retries;
}

test('an error opens a chain, whose id its own record carries', () => {
  const { chain, chainId } = answered(noChain, 2);
  expect(chainId).toBe('c1');
  expect(chain.phase).toEqual({ kind: 'open', chainId: 'c1', k: 1, dueUs: 6_000_000, orderId: '' });
});

test('all retries failed: ordinary turns go on, and no new chain before a good answer', () => {
  expect(retriesOf([2, 2, 2, 2, 2, 2])).toEqual([1, 2]);
  expect(retriesOf([2, 2, 2, 2, 1, 3, 3, 3, 3])).toEqual([1, 2, 1, 2]);
});

test('a good retry ends the chain', () => {
  expect(retriesOf([2, 1, 1, 2, 2, 1])).toEqual([1, 1, 2]);
});

test('without retries nothing is tried again', () => {
  expect(retriesOf([2, 2, 1, 2], { ...alone, retries: 0 })).toEqual([]);
});

test.each([9, 10])('a %i says nothing about the device: it opens no chain and ends one', (code) => {
  expect(retriesOf([code, code])).toEqual([]);
  expect(answered(answered(noChain, 2).chain, code, 1).chain.phase).toEqual({ kind: 'none' });
});

test('after all retries failed a 10 does not make the next error a new chain', () => {
  expect(retriesOf([2, 2, 2, 10, 2])).toEqual([1, 2]);
});

test('where others observe too the agent waits 5 s longer than RetryDelay for the word of the controller', () => {
  expect(answered(noChain, 2, 0, inTurn).chain.phase).toMatchObject({ k: 1, dueUs: 11_000_000 });
});

test('the controller orders retry 1 at its own time', () => {
  const { chain } = answered(noChain, 2, 0, inTurn);
  const ordered = afterRetryOrder(chain, { orderId: 'o', chainId: 'c1', attempt: 1, atUs: 6_000_000 });
  expect(ordered?.phase).toEqual({ kind: 'open', chainId: 'c1', k: 1, dueUs: 6_000_000, orderId: 'o' });
});

test('an order for a retry that was begun is too late, under whatever chain id', () => {
  const begun = afterRetryBegan(answered(noChain, 2, 0, inTurn).chain, 'c1', 1);
  for (const chainId of ['c1', 'other']) {
    expect(afterRetryOrder(begun, { orderId: 'o', chainId, attempt: 1, atUs: 0 })).toBeUndefined();
  }
  expect(afterRetryOrder(begun, { orderId: 'o', chainId: 'c1', attempt: 2, atUs: 0 })).toBeDefined();
});

test('after a chain ended an order of that chain is too late, one of a new chain is not', () => {
  const begun = afterRetryBegan(answered(noChain, 2).chain, 'c1', 1);
  const ended = answered(begun, 1, 1).chain;
  expect(afterRetryOrder(ended, { orderId: 'o', chainId: 'c1', attempt: 1, atUs: 0 })).toBeUndefined();
  expect(afterRetryOrder(ended, { orderId: 'o', chainId: 'c2', attempt: 1, atUs: 0 })).toBeDefined();
});

test('a chain taken elsewhere leaves ordinary turns here, and its time over, errors count again', () => {
  const taken = afterTaken(answered(noChain, 2, 0, inTurn).chain, 0, inTurn);
  expect(taken.phase).toEqual({ kind: 'elsewhere', untilUs: 23_000_000 });
  expect(answered(taken, 2, 0, inTurn).chain.phase.kind).toBe('elsewhere');
  const later = afterAnswer(taken, { code: 2, attempt: 0, chainId: '', endUs: 23_000_000 }, inTurn, newId);
  expect(later.chain.phase.kind).toBe('open');
});

test('read again from its records, in whole or from anywhere before its last ones, a chain stands where it stood', () => {
  const history = fc.array(fc.constantFrom(1, 2, 3, 9, 10), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(history, fc.integer({ min: 1, max: 4 }), fc.nat(), (codes, retries, where) => {
      const rules = { ...alone, retries };
      let chain = noChain;
      let ids = 0;
      const states = [chain];
      const records = codes.map((code, i) => {
        const { phase } = chain;
        const attempt = phase.kind === 'open' ? phase.k : 0;
        const chainId = phase.kind === 'open' ? phase.chainId : '';
        if (phase.kind === 'open') chain = afterRetryBegan(chain, chainId, attempt);
        const answer = { code, attempt, chainId, endUs: i * 60_000_000 };
        const after = afterAnswer(chain, answer, rules, () => `c${++ids}`);
        chain = after.chain;
        states.push(chain);
        return { ...answer, chainId: after.chainId };
      });
      const replayed = (from: Chain, first: number) =>
        records.slice(first).reduce((before, record) => afterRecorded(before, record, rules), from);
      expect(replayed(noChain, 0).phase).toEqual(chain.phase);
      expect(replayed(chain, 0).phase).toEqual(chain.phase);
      const middle = where % states.length;
      expect(replayed(states[middle] ?? noChain, middle).phase).toEqual(chain.phase);
      expect(replayed(chain, middle).phase).toEqual(chain.phase);
    }),
  );
});

test('a chain is gone on with at once where its retry is overdue, and at RetryDelay where the clock says later', () => {
  const { chain } = answered(noChain, 2);
  const at = (nowUs: number) => {
    const { phase } = resumed(chain, alone, nowUs);
    return phase.kind === 'open' ? phase.dueUs : undefined;
  };
  expect(at(2_000_000)).toBe(6_000_000);
  expect(at(3_600_000_000)).toBe(3_600_000_000);
  expect(at(-3_600_000_000)).toBe(-3_590_000_000);
});
