import { hourUs, minuteUs, secondUs } from '@vantage/domain';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTimeScale } from '../../config/time-scale.ts';
import { type AfterAttempt, type AttemptOutcome, afterAttempt, retryTimes } from './notification-state.ts';

const times = retryTimes();
const again: AttemptOutcome = { kind: 'again', text: 'HTTP 500' };

/** The times of all attempts of a notification whose endpoint answers `outcome`, and its last state. */
function run(outcomeOf: (attempts: number) => AttemptOutcome, tookUs = 0) {
  const begun: number[] = [];
  let nowUs = 0;
  for (let attempts = 1; attempts < 10_000; attempts += 1) {
    begun.push(nowUs);
    const next: AfterAttempt = afterAttempt(
      { attempts, firstAttemptUs: 0, nowUs: nowUs + tookUs },
      outcomeOf(attempts),
      times,
    );
    if (next.state !== 'Pending') return { begun, next };
    nowUs = next.dueUs;
  }
  throw new Error('the notification never ends');
}

test('an endpoint that stays dead is tried after 5 s, 30 s, 2 min, 10 min, 30 min, then hourly up to 72 h', () => {
  const { begun, next } = run(() => again);
  const waits = begun.slice(1).map((at, n) => at - (begun[n] ?? 0));
  expect(waits.slice(0, 5)).toEqual([5, 30, 120, 600, 1800].map((seconds) => seconds * secondUs));
  expect(new Set(waits.slice(5))).toEqual(new Set([hourUs]));
  expect(begun.at(-1)).toBeLessThanOrEqual(72 * hourUs);
  expect(begun.at(-1)).toBeGreaterThan(71 * hourUs);
  expect(next).toEqual({ state: 'Failed', reason: `given up after ${begun.length} attempts: HTTP 500` });
});

test.each<[string, AttemptOutcome, number]>([
  ['a longer one is honoured', { ...again, retryAfterMs: 60_000 }, minuteUs],
  ['a shorter one does not shorten the wait', { ...again, retryAfterMs: 1000 }, 5 * secondUs],
  ['one of a year waits an hour', { ...again, retryAfterMs: 365 * 86_400_000 }, hourUs],
  ['a negative one is none', { ...again, retryAfterMs: -1 }, 5 * secondUs],
])('Retry-After: %s', (_, outcome, waitUs) => {
  const next = afterAttempt({ attempts: 1, firstAttemptUs: 7, nowUs: 7 }, outcome, times);
  expect(next).toEqual({ state: 'Pending', dueUs: 7 + waitUs });
});

test('a receiver that is gone ends the notification at the first attempt', () => {
  expect(run(() => ({ kind: 'gone', text: 'HTTP 410' })).next).toEqual({
    state: 'Failed',
    reason: 'HTTP 410',
  });
});

test('an attempt that the controller interrupted is repeated at once', () => {
  const attempt = { attempts: 40, firstAttemptUs: 0, nowUs: 500 * hourUs };
  expect(afterAttempt(attempt, { kind: 'interrupted', text: '' }, times)).toEqual({
    state: 'Pending',
    dueUs: 500 * hourUs,
  });
});

test.each<AttemptOutcome>([again, { kind: 'refused', text: 'HTTP 404' }])(
  'while a clock may be wrong nothing is given up for its age: %o',
  (outcome) => {
    const attempt = { attempts: 3, firstAttemptUs: 0, nowUs: 60 * 24 * hourUs };
    expect(afterAttempt(attempt, outcome, times).state).toBe('Failed');
    const next = afterAttempt(attempt, outcome, retryTimes(undefined, false));
    expect(next).toEqual({ state: 'Pending', dueUs: 60 * 24 * hourUs + 2 * minuteUs });
  },
);

test('the last attempt may begin exactly 72 hours after the first one, and none later', () => {
  const next = (nowUs: number) => afterAttempt({ attempts: 6, firstAttemptUs: 0, nowUs }, again, times);
  expect(next(71 * hourUs)).toEqual({ state: 'Pending', dueUs: 72 * hourUs });
  expect(next(71 * hourUs + 1).state).toBe('Failed');
});

test('times of a test pass faster in the same proportions', () => {
  expect(retryTimes(createTimeScale(1000)).waitsUs[0]).toBe(5000);
  expect(retryTimes(createTimeScale(1000)).giveUpUs).toBe(259_200_000);
});

const outcomes = fc.record({
  kind: fc.constant('again' as const),
  text: fc.constant('x'),
  retryAfterMs: fc.integer({ min: -1000, max: 100 * 3_600_000 }),
});

test('whatever the endpoint answers, the waits are bounded, the attempts end within 72 h, and a good answer ends them', () => {
  const property = fc.property(
    fc.array(outcomes, { minLength: 1, maxLength: 200, size: 'max' }),
    fc.integer({ min: 0, max: 15 * secondUs }),
    fc.integer({ min: 1, max: 100 }),
    (answers, tookUs, goodAt) => {
      const { begun, next } = run(
        (n) => (n === goodAt ? { kind: 'delivered', text: 'ok' } : (answers[n % answers.length] ?? again)),
        tookUs,
      );
      const waits = begun.slice(1).map((at, n) => at - (begun[n] ?? 0) - tookUs);
      expect(Math.min(...waits, hourUs)).toBeGreaterThanOrEqual(5 * secondUs);
      expect(Math.max(...waits, 0)).toBeLessThanOrEqual(hourUs);
      expect(begun.at(-1)).toBeLessThanOrEqual(72 * hourUs);
      if (begun.length >= goodAt) expect(next.state).toBe('Delivered');
      else expect(next.state).toBe('Failed');
    },
  );
  fc.assert(property, { numRuns: 1000 });
});

test('a receiver that refuses for good is tried for 30 minutes, the last time at their end', () => {
  const { begun, next } = run(() => ({ kind: 'refused', text: 'SMTP 550' }));
  expect(begun.slice(0, 4)).toEqual([0, 5, 35, 155].map((seconds) => seconds * secondUs));
  expect(begun.at(-1)).toBe(30 * minuteUs);
  expect(next).toEqual({ state: 'Failed', reason: 'SMTP 550' });
});
