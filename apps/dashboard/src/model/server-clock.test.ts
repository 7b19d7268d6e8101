import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { correctedOffset } from './server-clock.ts';

const hourMs = 3_600_000;

test('after any answers the offset is right to a second and what the answer took, and a right clock stays as it is', () => {
  const answers = fc.array(fc.record({ waitMs: fc.nat(5_000), toMs: fc.nat(400), backMs: fc.nat(400) }), {
    minLength: 1,
    size: 'max',
    maxLength: 30,
  });
  fc.assert(
    fc.property(answers, fc.integer({ min: -hourMs, max: hourMs }), (all, trueMs) => {
      let browserMs = Date.UTC(2026, 10, 29);
      let offset = 0;
      let narrowest = Number.POSITIVE_INFINITY;
      for (const { waitMs, toMs, backMs } of all) {
        const sentMs = browserMs + waitMs;
        const receivedMs = sentMs + toMs + backMs;
        const dateMs = Math.floor((sentMs + toMs + trueMs) / 1_000) * 1_000;
        offset = correctedOffset(offset, { sentMs, receivedMs, dateMs });
        narrowest = Math.min(narrowest, 1_000 + toMs + backMs);
        browserMs = receivedMs;
      }
      expect(Math.abs(offset - trueMs)).toBeLessThanOrEqual(narrowest);
      if (trueMs === 0) expect(offset).toBe(0);
    }),
    { numRuns: propertyRuns(200) },
  );
});

test('a clock that somebody set is followed at the next answer', () => {
  const at = (browserMs: number, serverMs: number) => ({
    sentMs: browserMs,
    receivedMs: browserMs,
    dateMs: Math.floor(serverMs / 1_000) * 1_000,
  });
  const wrong = correctedOffset(0, at(0, hourMs));
  expect(wrong).toBe(hourMs);
  expect(correctedOffset(wrong, at(2 * hourMs, 2 * hourMs))).toBe(1_000);
});
