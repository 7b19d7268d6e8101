import { createFakeClock, propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Failure } from '../../contract/failure.ts';
import { createPoliteCache, type Known, nextStep } from './polite-cache.ts';

const hour = 3_600_000;
const ages = { freshMs: 6 * hour, usableMs: 7 * 24 * hour };
const signal = new AbortController().signal;
const silent = new Failure(2, 'no answer');
const known = (part: Partial<Known<string>>): Known<string> => ({
  value: undefined,
  askedMs: 0,
  askedUs: 0,
  failures: 0,
  failedMs: 0,
  failure: undefined,
  ...part,
});

function newCache() {
  return createPoliteCache<string>({
    maxBytes: 1_000_000,
    bytesOf: (value) => value.length,
    agesOf: () => ages,
    ownCodes: [9, 10],
  });
}

describe('a polite cache', () => {
  test.each([
    ['nothing is known', undefined, 0, 'ask'],
    ['a fresh value', known({ value: 'a' }), 6 * hour - 1, 'use'],
    ['an old value', known({ value: 'a' }), 6 * hour, 'ask'],
    ['three failures', known({ failures: 3, failure: { code: 2, text: '' } }), 1, 'ask'],
    ['the fourth failure', known({ failures: 4, failure: { code: 2, text: '' } }), 119_999, 'fail'],
    ['2 min after it', known({ failures: 4, failure: { code: 2, text: '' } }), 120_000, 'ask'],
    ['an old value in a pause', known({ value: 'a', failures: 9, failedMs: 7 * hour }), 7 * hour + 1, 'use'],
    [
      'a value beyond use in a pause',
      known({ value: 'a', failures: 9, failedMs: 200 * hour }),
      200 * hour,
      'fail',
    ],
  ] as const)('%s', (_, entry, nowMs, step) => {
    expect(nextStep(entry, ages, nowMs)).toBe(step);
  });

  /** A check each minute for two days against a registry that answers or not. */
  test('for every history: few requests, no answer older than usable, none lost while a value is usable', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ minutes: fc.integer({ min: 1, max: 700 }), isUp: fc.boolean() }), {
          minLength: 1,
          maxLength: 8,
        }),
        async (spans) => {
          const clock = createFakeClock();
          const cache = newCache();
          const requests: number[] = [];
          let goodMs: number | undefined;
          for (const { minutes, isUp } of spans) {
            for (let minute = 0; minute < minutes; minute += 1) {
              await clock.advance(60_000);
              const now = clock.monoMs();
              const answer = await cache
                .get('example.org', clock, signal, () => {
                  requests.push(now);
                  if (!isUp) return Promise.reject(silent);
                  goodMs = now;
                  return Promise.resolve('registered');
                })
                .catch(() => undefined);
              const isUsable = goodMs !== undefined && now - goodMs < ages.usableMs;
              expect(answer?.value).toBe(isUsable ? 'registered' : undefined);
              if (answer !== undefined && goodMs !== undefined && now - goodMs < ages.freshMs)
                expect(answer.staleBecause).toBeUndefined();
            }
          }
          // A good answer lasts 6 h; a row of failures is 3 requests, then ever longer pauses.
          for (const from of requests) {
            const withinSixHours = requests.filter((at) => at >= from && at < from + 6 * hour).length;
            expect(withinSixHours).toBeLessThanOrEqual(14);
          }
        },
      ),
      { numRuns: propertyRuns(20) },
    );
  });

  test('checks of the same name at the same time wait for one request', async () => {
    const clock = createFakeClock();
    const cache = newCache();
    const answer = Promise.withResolvers<string>();
    let requests = 0;
    const get = () =>
      cache.get('example.org', clock, signal, () => {
        requests += 1;
        return answer.promise;
      });
    const checks = [get(), get(), get()];
    answer.resolve('registered');
    expect((await Promise.all(checks)).map(({ value }) => value)).toEqual(Array(3).fill('registered'));
    expect(requests).toBe(1);
  });

  test('a check that waits for another one ends with its own signal', async () => {
    const clock = createFakeClock();
    const cache = newCache();
    const answer = Promise.withResolvers<string>();
    const first = cache.get('a', clock, signal, () => answer.promise);
    const ending = new AbortController();
    const second = cache.get('a', clock, ending.signal, () => answer.promise);
    ending.abort(new Error('the end'));
    await expect(second).rejects.toThrow('the end');
    answer.resolve('registered');
    expect(await first).toMatchObject({ value: 'registered' });
  });

  test('a failure of the agent itself is not kept', async () => {
    const clock = createFakeClock();
    const cache = newCache();
    for (let count = 0; count < 9; count += 1)
      await expect(
        cache.get('a', clock, signal, () => Promise.reject(new Failure(9, 'not allowed'))),
      ).rejects.toThrow('not allowed');
    expect(await cache.get('a', clock, signal, () => Promise.resolve('registered'))).toMatchObject({
      value: 'registered',
    });
  });

  test('its bound in bytes holds', async () => {
    const clock = createFakeClock();
    const cache = createPoliteCache<string>({
      maxBytes: 10_000,
      bytesOf: (value) => value.length,
      agesOf: () => ages,
      ownCodes: [],
    });
    for (let count = 0; count < 100; count += 1)
      await cache.get(`name-${count}`, clock, signal, () => Promise.resolve('x'.repeat(1000)));
    expect(cache.bytes).toBeLessThanOrEqual(10_000);
    await expect(cache.get('big', clock, signal, () => Promise.resolve('x'.repeat(20_000)))).rejects.toThrow(
      'no memory',
    );
  });
});
