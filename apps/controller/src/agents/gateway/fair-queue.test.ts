import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Claim, createFairQueue } from './fair-queue.ts';

const limits = { inAll: 4, perAccount: 3, perAgent: 1 };
const claimOf = (accountNo: number, agent: number): Claim => ({
  accountNo,
  agentNo: accountNo * 100 + agent,
  weight: 1,
});

describe('the order of batches', () => {
  test('an account with many agents leaves a slot to the others', () => {
    const queue = createFairQueue(limits);
    for (let agent = 0; agent < 50; agent += 1) queue.add(claimOf(1, agent));
    expect(queue.start()).toHaveLength(3);
    const bystander = claimOf(2, 0);
    queue.add(bystander);
    expect(queue.start()).toEqual([bystander]);
  });

  test('an agent has one batch in work, over all its streams', () => {
    const queue = createFairQueue(limits);
    for (let i = 0; i < 5; i += 1) queue.add(claimOf(1, 0));
    const [first] = queue.start();
    expect(queue.start()).toEqual([]);
    if (first) queue.remove(first);
    expect(queue.start()).toHaveLength(1);
  });

  test('a heavy claim waits for room, and no other claim passes it meanwhile', () => {
    const queue = createFairQueue({ inAll: 10, perAccount: 10, perAgent: 10 });
    const light = { accountNo: 1, agentNo: 1, weight: 5 };
    const heavy = { accountNo: 2, agentNo: 2, weight: 8 };
    const later = { accountNo: 3, agentNo: 3, weight: 1 };
    queue.add(light);
    expect(queue.start()).toEqual([light]);
    queue.add(heavy);
    queue.add(later);
    expect(queue.start()).toEqual([]);
    queue.remove(light);
    expect(queue.start()).toEqual([heavy, later]);
  });

  test('property: no claim waits behind more than one of each other account, and the limits hold', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('add' as const), account: fc.nat(4), agent: fc.nat(5) }),
      fc.record({ kind: fc.constant('done' as const), which: fc.nat() }),
      fc.record({ kind: fc.constant('withdraw' as const), which: fc.nat() }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const queue = createFairQueue<Claim>(limits);
        const inWork: Claim[] = [];
        const waiting: Claim[] = [];
        /** For each account that waits: how often each other one was served since it could have been. */
        const passedBy = new Map<number, Map<number, number>>();
        const mayRun = (claim: Claim) =>
          inWork.filter((one) => one.accountNo === claim.accountNo).length < limits.perAccount &&
          inWork.every((one) => one.agentNo !== claim.agentNo);
        for (const one of steps) {
          if (one.kind === 'add') {
            const claim = claimOf(one.account, one.agent);
            queue.add(claim);
            waiting.push(claim);
          } else {
            const list = one.kind === 'done' ? inWork : waiting;
            const [claim] = list.splice(one.which % Math.max(1, list.length), 1);
            if (claim) queue.remove(claim);
          }
          const ready = new Set(waiting.filter(mayRun).map((claim) => claim.accountNo));
          for (const started of queue.start()) {
            passedBy.delete(started.accountNo);
            for (const account of ready) {
              if (account === started.accountNo) continue;
              const counts = passedBy.get(account) ?? new Map<number, number>();
              counts.set(started.accountNo, (counts.get(started.accountNo) ?? 0) + 1);
              expect(counts.get(started.accountNo)).toBeLessThanOrEqual(1);
              passedBy.set(account, counts);
            }
            waiting.splice(waiting.indexOf(started), 1);
            inWork.push(started);
          }
          for (const account of passedBy.keys())
            if (!waiting.some((claim) => claim.accountNo === account)) passedBy.delete(account);
          expect(queue.waiting).toBe(waiting.length);
          expect(inWork.length).toBeLessThanOrEqual(limits.inAll);
          expect(inWork.length === limits.inAll || !waiting.some(mayRun)).toBe(true);
        }
      }),
    );
  });
});
