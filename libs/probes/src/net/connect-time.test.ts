import fc from 'fast-check';
import { expect, test } from 'vitest';
import { connectTime } from './connect-time.ts';

const figures = { rttUs: 20_011, rttvarUs: 10_005, sentAgain: 0 };

test.each([
  ['is the handshake time of the kernel', figures, 20.011],
  ['is the seen time where the kernel has no figures', undefined, 27],
  ['is the seen time where a SYN was sent again', { ...figures, sentAgain: 1 }, 27],
  ['is the seen time where the kernel has further samples', { ...figures, rttvarUs: 8_000 }, 27],
  ['is the seen time where the kernel has no sample yet', { ...figures, rttUs: 0, rttvarUs: 0 }, 27],
  ['is the seen time where the kernel has a longer one', { ...figures, rttUs: 28_000, rttvarUs: 14_000 }, 27],
])('ConnectTime %s', (_, found, expected) => {
  expect(connectTime(27, found)).toBe(expected);
});

test('ConnectTime is never longer than this process waited, never negative, and one of the two clocks', () => {
  const whole = fc.nat({ max: 0xffffffff });
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 1e7, noNaN: true }),
      fc.option(fc.record({ rttUs: whole, rttvarUs: whole, sentAgain: fc.nat({ max: 3 }) }), {
        nil: undefined,
      }),
      (seenMs, found) => {
        const ms = connectTime(seenMs, found);
        expect(ms >= 0 && ms <= seenMs).toBe(true);
        expect([seenMs, (found?.rttUs ?? 0) / 1000]).toContain(ms);
      },
    ),
  );
});

test('a handshake of one sample counts, however late this process saw it', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 0xffffffff }),
      fc.double({ min: 0, max: 1e6, noNaN: true }),
      (rttUs, lateMs) => {
        const found = { rttUs, rttvarUs: Math.floor(rttUs / 2), sentAgain: 0 };
        expect(connectTime(rttUs / 1000 + lateMs, found)).toBe(rttUs / 1000);
      },
    ),
  );
});
