import fc from 'fast-check';
import { expect, test } from 'vitest';
import { downAtOnce, lanesOf } from './down-at-once.ts';

const span = { from: 1_000, to: 2_000 };
const times = fc
  .tuple(fc.integer({ min: 800, max: 2_200 }), fc.nat(600))
  .map(([start, length]) => ({ start, end: start + length, device: `d${start % 5}` }));

test('two outages that overlap count as two, and one that begins when another ends does not', () => {
  const outages = [
    { start: 1_100, end: 1_300 },
    { start: 1_250, end: 1_400 },
    { start: 1_400, end: 1_500 },
  ];
  expect(downAtOnce(outages, span, 10)).toEqual([0, 1, 2, 1, 1, 0, 0, 0, 0, 0]);
  expect(downAtOnce([{ start: 0, end: 9_000 }], span, 3)).toEqual([1, 1, 1]);
});

test('each part has the number of its worst moment', () => {
  fc.assert(
    fc.property(fc.array(times, { maxLength: 20 }), fc.constantFrom(1, 4, 10, 50), (outages, count) => {
      const width = (span.to - span.from) / count;
      const expected = Array.from({ length: count }, (_, part) => {
        const [begin, end] = [span.from + part * width, span.from + (part + 1) * width];
        // The number only grows at the begin of an outage.
        const moments = [begin, ...outages.map(({ start }) => start)].filter((at) => at >= begin && at < end);
        return Math.max(
          0,
          ...moments.map((at) => outages.filter((each) => each.start <= at && at < each.end).length),
        );
      });
      expect(downAtOnce(outages, span, count)).toEqual(expected);
    }),
  );
});

test('every outage is in the lane of its device, and the lanes are in the order of their downtime', () => {
  fc.assert(
    fc.property(fc.array(times, { maxLength: 20 }), (outages) => {
      const lanes = lanesOf(outages, span);
      expect(lanes.flatMap((lane) => lane.outages).length).toBe(outages.length);
      expect(new Set(lanes.map(({ device }) => device)).size).toBe(lanes.length);
      const downs = lanes.map(({ down }) => down);
      expect(downs).toEqual(downs.toSorted((a, b) => b - a));
      const total = outages.reduce(
        (sum, { start, end }) => sum + Math.max(0, Math.min(end, span.to) - Math.max(start, span.from)),
        0,
      );
      expect(downs.reduce((sum, down) => sum + down, 0)).toBe(total);
    }),
  );
});
