import { dayMs, hourMs } from '@vantage/domain/units';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  bucketFor,
  type ChosenRange,
  maxSpanMs,
  minSpanMs,
  moved,
  movedTo,
  presetNames,
  presetSince,
  presets,
  rangeIn,
  rangeQuery,
  spanOf,
  stripMs,
  stripOf,
  ticksOf,
  zoomed,
} from './time-range.ts';

const now = Date.parse('2026-11-30T00:00:00Z');
const second = 1_000;
const own = fc
  .record({
    length: fc.integer({ min: minSpanMs / second, max: maxSpanMs / second }),
    ago: fc.integer({ min: 0, max: 300 * 86_400 }),
  })
  .map(({ length, ago }): ChosenRange => ({ from: now - (ago + length) * second, to: now - ago * second }));
const range = fc.oneof(
  own,
  fc.constantFrom(...presetNames).map((preset): ChosenRange => ({ preset })),
);

test('the address of a range opens the same range', () => {
  fc.assert(
    fc.property(range, (chosen) => {
      expect(rangeIn(new URLSearchParams(rangeQuery(chosen)))).toEqual(chosen);
    }),
  );
  for (const wrong of ['', 'span=2h', 'from=a&to=b', 'from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z'])
    expect(rangeIn(new URLSearchParams(wrong))).toBe(undefined);
});

test('a step keeps the length, and zoom stays within its limits and never leaves the present', () => {
  const fullOf = (chosen: ChosenRange) => spanOf(chosen, { now, createdMs: 0 });
  fc.assert(
    fc.property(range, fc.constantFrom('in', 'out'), fc.constantFrom(-1, 1), (chosen, way, direction) => {
      const before = fullOf(chosen);
      const step = fullOf(moved(chosen, direction, now));
      expect(Math.abs(step.to - step.from - (before.to - before.from))).toBeLessThan(61 * second);
      expect(step.to).toBeLessThanOrEqual(now);
      const next = fullOf(zoomed(chosen, way, now));
      expect(next.to).toBeLessThanOrEqual(now);
      expect(next.to - next.from).toBeGreaterThanOrEqual(minSpanMs - second);
      expect(next.to - next.from).toBeLessThanOrEqual(maxSpanMs + second);
      if (way === 'in') expect(next.to - next.from).toBeLessThanOrEqual(before.to - before.from + second);
    }),
  );
  expect(zoomed({ preset: '6h' }, 'out', now)).toEqual({ from: now - 12 * hourMs, to: now });
  expect(moved({ from: now - 7 * hourMs, to: now - hourMs }, 1, now)).toEqual({ preset: '6h' });
});

test('a row has at most 400 buckets, each of two pixels or more, as far as buckets are that wide', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 5, max: 400 * 1_440 }),
      fc.integer({ min: 300, max: 1_500 }),
      (minutes, pixels) => {
        const { ms, name } = bucketFor({ from: now - minutes * 60_000, to: now }, pixels);
        const buckets = (minutes * 60_000) / ms;
        if (name !== 'Day') expect(buckets).toBeLessThanOrEqual(Math.min(400, pixels / 2));
      },
    ),
  );
  expect(presetNames.map((name) => bucketFor({ from: now - presets[name], to: now }, 900).name)).toEqual([
    '5Min',
    '5Min',
    '5Min',
    'Hour',
    '6Hour',
    '6Hour',
    'Day',
  ]);
});

test('a new device starts with the span that has its checks', () => {
  expect([1, 50, 61, 300, 400, 5_000].map((minutes) => presetSince(now - minutes * 60_000, now))).toEqual([
    '1h',
    '1h',
    '6h',
    '6h',
    '24h',
    '24h',
  ]);
  const createdMs = now - 20 * 60_000;
  expect(spanOf({ preset: '24h' }, { now, createdMs })).toEqual({ from: createdMs, to: now });
  expect(spanOf({ preset: '24h' }, { now, createdMs: now })).toEqual({ from: now - minSpanMs, to: now });
});

test('ticks are within the span, as many as fit', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 5, max: 400 * 1_440 }),
      fc.integer({ min: 2, max: 12 }),
      (minutes, most) => {
        const span = { from: now - minutes * 60_000 + 7, to: now };
        const ticks = ticksOf(span, most, hourMs);
        expect(ticks.length).toBeLessThanOrEqual(most + 1);
        for (const at of ticks) expect(at >= span.from && at <= span.to).toBe(true);
      },
    ),
  );
  expect(ticksOf({ from: now - dayMs, to: now }, 6, hourMs)).toEqual(
    [-19, -13, -7, -1].map((hour) => now + hour * hourMs),
  );
});

test('a moved range keeps its length, ends now at the latest, and stays within the strip', () => {
  const fullOf = (chosen: ChosenRange) => spanOf(chosen, { now, createdMs: 0 });
  fc.assert(
    fc.property(range, fc.integer({ min: 0, max: 30 * 86_400 }), (chosen, ago) => {
      const before = fullOf(chosen);
      const next = fullOf(movedTo(chosen, now - ago * second, now));
      expect(Math.abs(next.to - next.from - (before.to - before.from))).toBeLessThan(61 * second);
      expect(next.to).toBeLessThanOrEqual(now);
      if (next.to < now) expect(next.from).toBe(now - ago * second);
      const strip = stripOf(before, now);
      if (strip === undefined) {
        expect(before.to - before.from).toBeGreaterThanOrEqual(stripMs);
        return;
      }
      expect(strip.to - strip.from).toBe(stripMs);
      expect(strip.to).toBeLessThanOrEqual(now);
      expect(strip.from).toBeLessThanOrEqual(before.from);
      expect(strip.to).toBeGreaterThanOrEqual(before.to);
    }),
  );
});
