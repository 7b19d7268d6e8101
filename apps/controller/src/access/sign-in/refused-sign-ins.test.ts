import { createFakeClock } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRefusedSignIns, type RefusedSignIn } from './refused-sign-ins.ts';

/** A refusal, and the seconds before the next one. */
interface Step {
  readonly accountNo: number;
  readonly address: string;
  readonly seconds: number;
}

async function play(steps: readonly Step[]) {
  const clock = createFakeClock(0);
  const written: { refused: RefusedSignIn; attempts: number; atS: number }[] = [];
  const lost: string[] = [];
  const refusals = createRefusedSignIns({
    clock,
    write: async (refused, attempts) =>
      void written.push({ refused, attempts, atS: Math.floor(clock.nowUs() / 1e6) }),
    onLost: (reason) => void lost.push(reason),
  });
  for (const { accountNo, address, seconds } of steps) {
    refusals.note(async () => [{ accountNo, address, id: 'id', name: null, reason: 'unknown key' }]);
    await clock.advance(seconds * 1000);
  }
  await refusals[Symbol.asyncDispose]();
  return { written, lost };
}

const addresses = ['192.0.2.1', '192.0.2.2', '2001:db8::1'] as const;
const step = fc.record({
  accountNo: fc.constantFrom(1, 2),
  address: fc.constantFrom(...addresses),
  seconds: fc.integer({ min: 0, max: 90 }),
});

test('every refusal is counted once in its own account, with at most one entry a minute for each address', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const { written, lost } = await play(steps);
      expect(lost).toEqual([]);
      for (const accountNo of [1, 2])
        for (const address of addresses) {
          const isOwn = (each: { accountNo: number; address: string }) =>
            each.accountNo === accountNo && each.address === address;
          const entries = written.filter(({ refused }) => isOwn(refused));
          const sum = entries.reduce((total, { attempts }) => total + attempts, 0);
          expect(sum).toBe(steps.filter(isOwn).length);
          const inTime = entries.slice(0, -1); // the end of the controller writes what is left
          for (const [at, { atS }] of inTime.entries()) {
            const next = inTime[at + 1];
            if (next !== undefined) expect(next.atS - atS).toBeGreaterThanOrEqual(60);
          }
        }
    }),
    { numRuns: 200 },
  );
});

test('a flood from a million addresses is a bounded number of entries', async () => {
  const steps = Array.from({ length: 3_000 }, (_, n) => ({
    accountNo: 1,
    address: `198.18.${Math.floor(n / 250)}.${n % 250}`,
    seconds: n % 400 === 399 ? 1 : 0,
  }));
  const { written, lost } = await play(steps);
  expect(written.length + lost.length).toBeLessThan(2_000);
  expect(written.length).toBeLessThanOrEqual(1_002);
  expect(written.reduce((total, { attempts }) => total + attempts, 0) + lost.length).toBe(3_000);
});

test('no number of accounts and addresses makes more than 2,000 entries in a minute', async () => {
  const steps = Array.from({ length: 2_500 }, (_, n) => ({
    accountNo: n,
    address: `198.18.${Math.floor(n / 250)}.${n % 250}`,
    seconds: n % 400 === 399 ? 1 : 0,
  }));
  const { written, lost } = await play(steps);
  expect([written.length, lost]).toEqual([2_000, Array(500).fill('too many at once')]);
});
