import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CounterReading, rateOf } from './rate-of.ts';

const octets = { isFullRate: true, maxPerSecond: 12_500_000 };
const reading = (count: bigint, seconds: number, more: Partial<CounterReading> = {}): CounterReading => ({
  count,
  bits: 32,
  at: { upTicks: Math.round(seconds * 100), monoMs: seconds * 1000 },
  ...more,
});

describe('rateOf', () => {
  test('the first reading has no rate', () => {
    expect(rateOf(undefined, reading(5n, 60), octets)).toEqual({ kind: 'none', reason: 'first' });
  });

  test('the rate is by the clock of the device, not by that of the agent', () => {
    const late = { upTicks: 12_000, monoMs: 121_500 };
    const rate = rateOf(reading(0n, 60), { ...reading(6_000n, 120), at: late }, octets);
    expect(rate).toEqual({ kind: 'rate', perSecond: 100 });
  });

  test.each([
    ['a wrap of 32 bits', reading(2n ** 32n - 1000n, 100), reading(5_000n, 110), 600],
    [
      'a wrap of sysUpTime',
      { ...reading(0n, 0), at: { upTicks: 2 ** 32 - 1000, monoMs: 0 } },
      reading(100n, 10, { at: { upTicks: 0, monoMs: 10_000 } }),
      10,
    ],
  ])('%s is part of the growth', (_name, before, now, perSecond) => {
    expect(rateOf(before, now, octets)).toEqual({
      kind: 'rate',
      perSecond,
    });
  });

  test.each([
    [
      'sysUpTime went back',
      reading(500n, 5_000),
      reading(900n, 10, { at: { upTicks: 1000, monoMs: 5_060_000 } }),
      octets,
    ],
    ['a 64-bit counter went back', reading(900n, 60, { bits: 64 }), reading(5n, 120, { bits: 64 }), octets],
    ['the growth would be faster than the port', reading(900_000n, 60), reading(5n, 61.5), octets],
    [
      'an unknown port would have grown by more than a half',
      reading(900n, 60),
      reading(5n, 120),
      { isFullRate: false },
    ],
    [
      'the device says so',
      reading(5n, 60, { discontinuity: 1 }),
      reading(9n, 120, { discontinuity: 7 }),
      octets,
    ],
    ['the counter has another width now', reading(5n, 60), reading(9n, 120, { bits: 64 }), octets],
  ])('none: %s', (_name, before, now, limit) => {
    expect(rateOf(before, now, limit)).toEqual({ kind: 'none', reason: 'restarted' });
  });

  test('a 32-bit counter that may have wrapped twice has no rate, unless it counts rare things', () => {
    const fast = { isFullRate: true, maxPerSecond: 1_250_000_000 };
    expect(rateOf(reading(5n, 60), reading(900n, 120), fast)).toEqual({ kind: 'none', reason: 'ambiguous' });
    expect(rateOf(reading(5n, 60), reading(65n, 120), { ...fast, isFullRate: false })).toMatchObject({
      perSecond: 1,
    });
    expect(rateOf(reading(5n, 60, { bits: 64 }), reading(65n, 120, { bits: 64 }), fast)).toMatchObject({
      perSecond: 1,
    });
  });

  test('two readings within a second have no rate', () => {
    expect(rateOf(reading(5n, 60), reading(9n, 60.5), octets)).toEqual({ kind: 'none', reason: 'soon' });
  });
});

/** A step in the life of a device: the time that passes, the share of the maximum that its port carries. */
const step = fc.record({
  seconds: fc.double({ min: 1.1, max: 900, noNaN: true }),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  restartsAt: fc.option(fc.double({ min: 0.01, max: 0.99, noNaN: true }), { freq: 5, nil: undefined }),
  delayMs: fc.double({ min: 0, max: 900, noNaN: true }),
});

test('any life of a device: a rate is right to 0.1 %, and absent only after a restart or where it is ambiguous', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(32 as const, 64 as const),
      fc.constantFrom(1_250_000, 12_500_000, 125_000_000, 1_250_000_000),
      fc.bigInt({ min: 0n, max: 2n ** 32n - 1n }),
      fc.double({ min: 40, max: 50_000_000, noNaN: true }),
      fc.array(step, { minLength: 1, maxLength: 30 }),
      (bits, maxPerSecond, start, upSeconds, steps) => {
        let [nowSeconds, up, count, delay] = [0, upSeconds, start, 0];
        const read = (): CounterReading => ({
          count: BigInt.asUintN(bits, count),
          bits,
          at: { upTicks: Math.floor(up * 100) % 2 ** 32, monoMs: nowSeconds * 1000 + delay },
        });
        let before = read();
        for (const { seconds, share, restartsAt, delayMs } of steps) {
          // A device that restarts within seconds of its start cannot be told from one with a fast clock.
          const restarts = restartsAt !== undefined && up > 30;
          const sinceRestart = restarts ? seconds * (1 - restartsAt) : seconds;
          const grown = BigInt(Math.floor(maxPerSecond * share * sinceRestart));
          nowSeconds += seconds;
          up = restarts ? sinceRestart : up + seconds;
          count = restarts ? grown : count + grown;
          delay = delayMs;
          const now = read();
          const rate = rateOf(before, now, { isFullRate: true, maxPerSecond });
          before = now;
          const isAmbiguous = bits === 32 && maxPerSecond * (seconds + 0.01) >= 2 ** 32;
          if (restarts) expect(rate).toEqual({ kind: 'none', reason: 'restarted' });
          else if (rate.kind === 'none') expect(isAmbiguous || seconds < 2, rate.reason).toBe(true);
          else {
            const truth = Number(grown) / seconds;
            // sysUpTime has steps of 10 ms.
            const tolerance = truth * (0.001 + 0.011 / seconds) + 1;
            expect(Math.abs(rate.perSecond - truth)).toBeLessThanOrEqual(tolerance);
          }
        }
      },
    ),
    { numRuns: 3000 },
  );
});
