import fc from 'fast-check';
import { expect, test } from 'vitest';
import { consequenceOf } from './consequence.ts';

const worlds = fc.array(
  fc.record({
    state: fc.constantFrom('Down', 'Down', 'Up'),
    master: fc.option(fc.integer({ min: 0, max: 11 })),
  }),
  { maxLength: 12 },
);

test('a cause is Down by itself, and each device behind it names it as its cause or passes it', () => {
  fc.assert(
    fc.property(worlds, (world) => {
      // A master has a lower number, so there is no circle.
      const rows = world.map(({ state, master }, at) => {
        const isDown = master !== null && master < at && world[master]?.state === 'Down';
        return { id: `${at}`, state, downBecause: state === 'Down' && isDown ? `${master}` : null };
      });
      let symptoms = 0;
      let behindCauses = 0;
      for (const { id, state, downBecause } of rows) {
        const { cause, behind } = consequenceOf(id, rows);
        expect(cause === undefined).toBe(downBecause === null);
        if (cause !== undefined) symptoms += 1;
        expect(cause?.downBecause ?? null).toBe(null);
        if (state !== 'Down') expect(behind).toBe(0);
        else if (downBecause === null) behindCauses += behind;
      }
      expect(behindCauses).toBe(symptoms);
    }),
  );
});

test('a circle of masters ends', () => {
  const rows = [
    { id: 'a', state: 'Down', downBecause: 'b' },
    { id: 'b', state: 'Down', downBecause: 'a' },
  ];
  expect(consequenceOf('a', rows)).toEqual({ cause: rows[1], behind: 1 });
});
