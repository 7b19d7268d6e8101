import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runsOf, type Status, type StatusInterval, secondsOf } from './timeline.ts';

test('the open status continues after its seconds were read', () => {
  const read = {
    UpSeconds: 60,
    DownSeconds: 5,
    MaintenanceSeconds: 0,
    UnknownSeconds: 3,
    ExcludedSeconds: 2,
  };
  expect(secondsOf(read, 'Down', 4)).toEqual({ Up: 60, Down: 9, Maint: 0, Unknown: 3, Excluded: 2 });
  expect(secondsOf(read, undefined, 4)).toEqual({ Up: 60, Down: 5, Maint: 0, Unknown: 3, Excluded: 2 });
});

const status = fc.constantFrom<Status>('Up', 'Down', 'Maint', 'Unknown');

test('the worst status wins a pixel, and the open one reaches the right edge', () => {
  const ends = fc.array(fc.record({ at: fc.integer({ min: 1, max: 999 }), status }), { maxLength: 20 });
  fc.assert(
    fc.property(ends, fc.integer({ min: 5, max: 60 }), (list, width) => {
      const intervals = list
        .toSorted((a, b) => a.at - b.at)
        .map(
          (each, index, all): StatusInterval => ({
            start: each.at,
            end: all[index + 1]?.at ?? 1_000,
            status: each.status,
          }),
        )
        .filter(({ start, end }) => end > start);
      const runs = runsOf(intervals, { from: 0, to: 1_000 }, width);
      const at = (x: number) => runs.find((run) => x >= run.x && x < run.x + run.width)?.status;
      const isDownIn = (x: number) =>
        intervals.some(
          (each: StatusInterval) =>
            each.status === 'Down' &&
            each.start < ((x + 1) * 1_000) / width &&
            each.end > (x * 1_000) / width,
        );
      for (let x = 0; x < width; x += 1) if (isDownIn(x)) expect(at(x)).toBe('Down');
      if (list.length > 0) expect(at(width - 1)).toBeDefined();
      expect(
        runs.every(
          (run, index) => index === 0 || run.x >= (runs[index - 1]?.x ?? 0) + (runs[index - 1]?.width ?? 0),
        ),
      ).toBe(true);
    }),
  );
});
