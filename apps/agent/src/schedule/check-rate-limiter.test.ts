import { expect, test } from 'vitest';
import { createCheckRateLimiter } from './check-rate-limiter.ts';

test.each([
  // checks a minute, checks at once, milliseconds to the next one
  [120, 4, 500],
  [30, 1, 2000],
  [6, 1, 10_000],
])(
  '%i checks a minute are %i at once and then one each %i ms, however long the pause',
  (checksPerMinute, burst, minIntervalMs) => {
    let nowMs = 0;
    const limiter = createCheckRateLimiter({ checksPerMinute, monoMs: () => nowMs });
    for (const pauseMs of [0, 3_600_000]) {
      nowMs += pauseMs;
      for (let at = 0; at < burst; at += 1) expect(limiter.tryAcquire()).toEqual({ ok: true });
      expect(limiter.tryAcquire()).toEqual({ ok: false, waitMs: minIntervalMs });
      nowMs += minIntervalMs / 2;
      expect(limiter.tryAcquire()).toEqual({ ok: false, waitMs: minIntervalMs / 2 });
      nowMs += minIntervalMs / 2;
      expect(limiter.tryAcquire()).toEqual({ ok: true });
    }
  },
);

test('without a limit every check may start', () => {
  const limiter = createCheckRateLimiter({ checksPerMinute: Number.POSITIVE_INFINITY, monoMs: () => 0 });
  for (let at = 0; at < 1000; at += 1) expect(limiter.tryAcquire()).toEqual({ ok: true });
});
