import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maxSnoozeMinutes, snoozeDuration } from './snooze-until.ts';

const minuteMs = 60_000;

test('a snooze lasts until the moment, less than a minute longer, and is never empty', () => {
  fc.assert(
    fc.property(fc.integer({ min: -10_000, max: (maxSnoozeMinutes + 60) * minuteMs }), (ahead) => {
      const duration = snoozeDuration(1_000_000 + ahead, 1_000_000);
      if (ahead <= 0 || ahead > maxSnoozeMinutes * minuteMs) {
        expect(duration).toBeUndefined();
        return;
      }
      const [hours = 0, minutes = 0] = duration?.split(':').map(Number) ?? [];
      const longer = (hours * 60 + minutes) * minuteMs - ahead;
      expect(duration).toMatch(/^\d\d:[0-5]\d$/);
      expect([longer >= 0, longer < minuteMs]).toEqual([true, true]);
    }),
  );
  expect([snoozeDuration(Number.NaN, 0), snoozeDuration(90 * minuteMs, 0)]).toEqual([undefined, '01:30']);
});
