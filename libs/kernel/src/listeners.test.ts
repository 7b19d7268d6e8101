import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Listeners } from './listeners.ts';

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('add' as const) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('dispose' as const), which: fc.nat(40) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('takeAll' as const) }) },
);

test('takes exactly the listeners that were added and not removed, each once, whoever had a slot before', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
      const listeners = new Listeners<{ readonly n: number }>();
      const held = new Set<number>();
      const added: Disposable[] = [];
      const takeAll = () => [...listeners.takeAll()].map(({ n }) => n).sort((a, b) => a - b);
      for (const each of steps) {
        if (each.kind === 'add') {
          held.add(added.length);
          added.push(listeners.add({ n: added.length }));
        } else if (each.kind === 'dispose') {
          const which = each.which % Math.max(1, added.length);
          added[which]?.[Symbol.dispose](); // again, too, and after takeAll
          held.delete(which);
        } else {
          expect(takeAll()).toEqual([...held].sort((a, b) => a - b));
          held.clear();
        }
      }
      expect(takeAll()).toEqual([...held].sort((a, b) => a - b));
    }),
  );
});
