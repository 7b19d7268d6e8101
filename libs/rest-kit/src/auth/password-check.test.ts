import { createFakeClock } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attemptsPerMinute, decideAttempt } from '../limits/attempt-limit.ts';
import { createPasswordCheck } from './password-check.ts';

const key = { name: '1', basicUser: 'user', basicHash: 'the hash' };
const guess = (password: string) => ({ user: 'user', password });

/** A check whose computations take until they are let go; `right` is the password of every key. */
function scene() {
  const clock = createFakeClock();
  const waiting: (() => void)[] = [];
  const computed: string[] = [];
  let now = 0;
  let most = 0;
  const check = createPasswordCheck(clock, async (password) => {
    computed.push(password);
    now += 1;
    most = Math.max(most, now);
    await new Promise<void>((resolve) => waiting.push(resolve));
    now -= 1;
    return password === 'right';
  });
  const letGo = async () => {
    for (let idle = 0; idle < 3; idle += 1) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      const all = waiting.splice(0);
      if (all.length > 0) idle = 0;
      for (const one of all) one();
    }
  };
  return { clock, check, computed, letGo, most: () => most };
}

describe('the decision on an attempt', () => {
  const twenty = Array.from({ length: attemptsPerMinute }, (_, n) => n * 100);
  it.each([
    ['the first', [], 5, { kind: 'counted', times: [5] }],
    ['the twentieth', twenty.slice(1), 5_000, { kind: 'counted', times: [...twenty.slice(1), 5_000] }],
    ['one more', twenty, 5_000, { kind: 'wait', seconds: 55 }],
    ['one just before the minute is over', twenty, 59_999, { kind: 'wait', seconds: 1 }],
    [
      'one a minute after the first',
      twenty,
      60_000,
      { kind: 'counted', times: [...twenty.slice(1), 60_000] },
    ],
  ] as const)('%s', (_what, times, nowMs, expected) => {
    expect(decideAttempt(times, nowMs)).toEqual(expected);
  });
});

describe('the check of a password', () => {
  it('computes 20 of 250 guesses that come at once, one at a time', async () => {
    const { check, computed, letGo, most } = scene();
    const all = Array.from({ length: 250 }, (_, n) => check(key, guess(`wrong ${n}`), '192.0.2.1'));
    await letGo();
    const kinds = (await Promise.all(all)).map(({ kind }) => kind);
    expect([kinds.filter((kind) => kind === 'bad').length, computed.length, most()]).toEqual([20, 20, 1]);
  });

  it('lets 64 computations wait for the one that runs, 32 of a network; what comes beside them is asked to come again', async () => {
    const { check, computed, letGo } = scene();
    const all = Array.from({ length: 100 }, (_, keyNo) =>
      check({ ...key, name: String(keyNo) }, guess('right'), keyNo < 50 ? '192.0.2.1' : '192.0.2.2'),
    );
    await letGo();
    const kinds = (await Promise.all(all)).map(({ kind }) => kind);
    const ofNetwork = (good: number) => [...Array(good).fill('good'), ...Array(50 - good).fill('wait')];
    expect(kinds).toEqual([...ofNetwork(33), ...ofNetwork(32)]);
    expect(computed).toHaveLength(65);
    // Nothing was wrong, so nothing was counted.
    const later = check({ ...key, name: '99' }, guess('right'), '192.0.2.1');
    await letGo();
    expect(await later).toEqual({ kind: 'good' });
  });

  it('computes a password of a network that has none waiting before those of a crowd', async () => {
    const { check, computed, letGo } = scene();
    const crowd = Array.from({ length: 64 }, (_, n) =>
      check({ ...key, name: String(n) }, guess('right'), `2001:db8:1:${(n % 16).toString(16)}::1`),
    );
    const one = check({ ...key, name: 'alone' }, guess('alone'), '2001:db8:2::1');
    await letGo();
    expect(await one).toEqual({ kind: 'bad' });
    await Promise.all(crowd);
    expect(computed.indexOf('alone')).toBe(1);
  });

  it('computes the same good password once for 250 requests at once, and not again soon', async () => {
    const { check, computed, letGo, clock } = scene();
    const all = Array.from({ length: 250 }, () => check(key, guess('right'), '192.0.2.1'));
    await letGo();
    expect(new Set((await Promise.all(all)).map(({ kind }) => kind))).toEqual(new Set(['good']));
    for (const wrong of Array.from({ length: 40 }, (_, n) => `wrong ${n}`))
      void check(key, guess(wrong), '192.0.2.1');
    await letGo();
    await clock.advance(14 * 60_000);
    expect(await check(key, guess('right'), '192.0.2.1')).toEqual({ kind: 'good' });
    expect(computed.filter((password) => password === 'right')).toHaveLength(1);
  });

  it('lets no neighbour behind the same address use up the guesses of another key, nor an address those of another', async () => {
    const { check, letGo } = scene();
    const wrong = Array.from({ length: 30 }, (_, n) => check(key, guess(`wrong ${n}`), '192.0.2.1'));
    await letGo();
    await Promise.all(wrong);
    const good = [
      check({ ...key, name: '2' }, guess('right'), '192.0.2.1'),
      check(key, guess('right'), '192.0.2.2'),
      check(key, guess('right'), '192.0.2.1'),
    ];
    await letGo();
    expect((await Promise.all(good)).map(({ kind }) => kind)).toEqual(['good', 'good', 'wait']);
  });

  it('remembers the 10,000 good passwords that were used last', async () => {
    const computed: string[] = [];
    const check = createPasswordCheck(createFakeClock(), async (_password, hash) => {
      computed.push(hash);
      return true;
    });
    const computedFor = async (...keyNos: readonly number[]) => {
      computed.length = 0;
      for (const keyNo of keyNos) {
        const name = String(keyNo);
        await check({ ...key, name, basicHash: name }, guess('right'), '192.0.2.1');
      }
      return [...computed];
    };
    await computedFor(...Array.from({ length: 10_000 }, (_, keyNo) => keyNo));
    expect(await computedFor(0)).toEqual([]);
    expect(await computedFor(10_000, 0, 2, 1)).toEqual(['10000', '1']);
  });

  it('in any order: a good password passes unless its own key and address have used up the guesses', async () => {
    const request = fc.record({
      keyNo: fc.integer({ min: 1, max: 2 }),
      address: fc.constantFrom('192.0.2.1', '192.0.2.2', '2001:db8::1', '2001:db8::2'),
      isRight: fc.boolean(),
      burst: fc.integer({ min: 1, max: 30 }),
      afterMs: fc.constantFrom(0, 1_000, 70_000),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(request, { maxLength: 12 }), async (requests) => {
        const { check, computed, letGo, clock, most } = scene();
        const wrongAt = new Map<string, number[]>();
        let n = 0;
        for (const { keyNo, address, isRight, burst, afterMs } of requests) {
          await clock.advance(afterMs);
          const name = `${keyNo} ${address.includes(':') ? 'v6' : address}`;
          const recent = (wrongAt.get(name) ?? []).filter((at) => at > clock.monoMs() - 60_000);
          const passwords = Array.from({ length: burst }, (_, i) => (isRight ? 'right' : `wrong ${n} ${i}`));
          n += 1;
          const all = passwords.map((password) =>
            check({ ...key, name: String(keyNo) }, guess(password), address),
          );
          await letGo();
          const kinds = (await Promise.all(all)).map(({ kind }) => kind);
          if (isRight && recent.length < attemptsPerMinute) expect(new Set(kinds)).toEqual(new Set(['good']));
          const bad = kinds.filter((kind) => kind === 'bad').map(() => clock.monoMs());
          if (!isRight) expect(bad.length).toBe(Math.min(burst, attemptsPerMinute - recent.length));
          wrongAt.set(name, [...recent, ...bad]);
        }
        expect(most()).toBeLessThanOrEqual(2);
        expect(computed.length).toBeLessThanOrEqual(requests.reduce((sum, { burst }) => sum + burst, 0));
      }),
      { numRuns: 60 },
    );
  });
});
