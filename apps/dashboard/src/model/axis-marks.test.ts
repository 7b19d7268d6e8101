import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AxisMark, groupMarks, nextMark } from './axis-marks.ts';

const marks = fc
  .array(fc.integer({ min: 0, max: 500 }), { maxLength: 30 })
  .map((moments) => moments.map((at, key): AxisMark => ({ key: `${key}`, kind: 'Note', at, end: null })));

test('each mark is in one group, and groups are 12 px apart', () => {
  fc.assert(
    fc.property(marks, (list) => {
      const groups = groupMarks(list, (ms) => ms);
      expect(groups.flatMap((group) => group.marks.map(({ key }) => key)).sort()).toEqual(
        list.map(({ key }) => key).sort(),
      );
      for (const [at, { x, marks: own }] of groups.entries()) {
        expect((groups[at + 1]?.x ?? 1_000) - x).toBeGreaterThanOrEqual(12);
        for (const mark of own) expect(mark.at - x).toBeLessThan(12);
      }
    }),
  );
});

test('the next mark is the nearest one on that side', () => {
  fc.assert(
    fc.property(marks, fc.integer({ min: 0, max: 500 }), (list, at) => {
      const after = list.filter((mark) => mark.at > at).map((mark) => mark.at);
      expect(nextMark(list, at, 1)?.at).toBe(after.length === 0 ? undefined : Math.min(...after));
      const before = list.filter((mark) => mark.at < at).map((mark) => mark.at);
      expect(nextMark(list, at, -1)?.at).toBe(before.length === 0 ? undefined : Math.max(...before));
    }),
  );
});
