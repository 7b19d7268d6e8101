import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withArrived } from './newest-events.ts';

const list = (newest: number, count: number) =>
  Array.from({ length: Math.min(count, newest) }, (_, i) => ({ event_id: String(newest - i) }));

test('property: the list is that of the newest event of both, without gaps where they meet, and each event once', () => {
  fc.assert(
    fc.property(fc.nat(60), fc.nat(20), fc.integer({ min: 5, max: 50 }), (read, later, most) => {
      const shown = list(read, most);
      // What arrived follows what was read, or overlaps with it by five.
      for (const from of [read, Math.max(0, read - 5)])
        expect(withArrived(list(read + later, read + later - from), shown, most)).toEqual(
          list(read + later, most),
        );
    }),
  );
});
