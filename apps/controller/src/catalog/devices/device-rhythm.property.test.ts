import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chooseInterval, chooseRetries, resolveRhythm } from './device-rhythm.ts';
import { secondsChoices, shownRetries } from './device-table.ts';

const minutes = fc.constantFrom(1, 2, 5, 10, 20, 30, 60);
const seconds = fc.constantFrom(...secondsChoices);
const interval = fc.oneof(
  minutes.map((frequency_min) => ({ frequency_min, frequency_s: null })),
  seconds.map((frequency_s) => ({ frequency_min: 1, frequency_s })),
);
const retries = fc.integer({ min: 0, max: 10 });
const sentRetries = fc.integer({ min: 2, max: 10 });
const attempts = fc.integer({ min: 1, max: 11 });

/** Seconds between checks. */
const length = ({ frequency_min, frequency_s }: { frequency_min: number; frequency_s: number | null }) =>
  frequency_s ?? frequency_min * 60;

test('what a GET shows may be sent back, by both names, by the older one and by none', () => {
  fc.assert(
    fc.property(interval, retries, (shown, stored) => {
      const all = { minutes: shown.frequency_min, seconds: secondsOf(shown.frequency_s) };
      if (shown.frequency_s !== null) expect(chooseInterval(shown, all, 5)).toEqual(shown);
      for (const sent of [{ ...all, seconds: undefined }, {}])
        expect(chooseInterval(shown, sent, 5)).toEqual(shown);
      expect(chooseInterval(shown, all, 5)).toEqual(shown);
      const both = { retries: shownRetries(stored), attempts: stored + 1 };
      for (const sent of [both, { retries: both.retries }, { attempts: both.attempts }, {}])
        expect(chooseRetries(stored, sent, 2)).toBe(stored);
    }),
  );
});

test('of two names the one that differs from what is shown counts; a contradiction is refused', () => {
  fc.assert(
    fc.property(interval, minutes, seconds, (shown, m, s) => {
      const chosen = chooseInterval(shown, { minutes: m, seconds: s }, 5);
      const bySeconds = s !== shown.frequency_s;
      const byMinutes = m !== shown.frequency_min;
      if (bySeconds && byMinutes && m !== 1) expect(chosen).toBeUndefined();
      else if (bySeconds) expect(chosen).toEqual({ frequency_min: 1, frequency_s: s });
      else if (byMinutes) expect(chosen).toEqual({ frequency_min: m, frequency_s: null });
      else expect(chosen).toEqual(shown);
    }),
  );
  fc.assert(
    fc.property(retries, sentRetries, attempts, (stored, n, a) => {
      const chosen = chooseRetries(stored, { retries: n, attempts: a }, 2);
      const byAttempts = a !== stored + 1;
      const byRetries = n !== shownRetries(stored);
      if (byAttempts && byRetries && n !== Math.max(2, a - 1)) expect(chosen).toBeUndefined();
      else if (byAttempts) expect(chosen).toBe(a - 1);
      else expect(chosen).toBe(byRetries ? n : stored);
    }),
  );
});

test('one name alone says all; null lets the older name count, or sets its default', () => {
  fc.assert(
    fc.property(interval, minutes, seconds, (shown, m, s) => {
      expect(length(chooseInterval(shown, { seconds: s }, 5) ?? shown)).toBe(s);
      expect(chooseInterval(shown, { minutes: m, seconds: null }, 5)).toEqual({
        frequency_min: m,
        frequency_s: null,
      });
      expect(chooseInterval(shown, { seconds: null }, 5)).toEqual({ ...shown, frequency_s: null });
      expect(chooseInterval(shown, { minutes: null, seconds: null }, 5)).toEqual({
        frequency_min: 5,
        frequency_s: null,
      });
    }),
  );
  fc.assert(
    fc.property(retries, sentRetries, attempts, (stored, n, a) => {
      expect(chooseRetries(stored, { attempts: a }, 2)).toBe(a - 1);
      expect(chooseRetries(stored, { retries: n, attempts: null }, 2)).toBe(n);
      expect(chooseRetries(stored, { attempts: null }, 2)).toBe(shownRetries(stored));
      expect(chooseRetries(stored, { retries: null, attempts: null }, 2)).toBe(2);
    }),
  );
});

test('a contradiction names the newer field and leaves the settings', () => {
  const current = { frequency_min: 5, frequency_s: null, retries: 2 };
  const sent = { Frequency: 2, FrequencySeconds: 10, Retries: 4, Attempts: 1 } as const;
  expect(resolveRhythm(sent, current)).toEqual({
    rhythm: current,
    faults: [
      {
        field: 'FrequencySeconds',
        message: 'must be sent without Frequency, or with Frequency 1, but the number 10 was sent',
      },
      {
        field: 'Attempts',
        message: 'must be Retries + 1 when both are sent',
      },
    ],
  });
});

function secondsOf(value: number | null) {
  return value === null ? null : secondsChoices.find((each) => each === value);
}
