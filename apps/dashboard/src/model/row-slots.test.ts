import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assignSlots, type RowSlots } from './row-slots.ts';

const keys = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'k'), {
  maxLength: 8,
});

test('each row has a slot of its own, keeps it, and takes over a free one before a new one is made', () => {
  fc.assert(
    fc.property(fc.array(keys, { minLength: 1, maxLength: 12 }), (rounds) => {
      let slots: RowSlots = new Map();
      for (const shown of rounds) {
        const next = assignSlots(slots, shown);
        expect([...next.keys()]).toEqual(shown);
        expect(new Set(next.values()).size).toBe(shown.length);
        for (const key of shown) if (slots.has(key)) expect(next.get(key)).toBe(slots.get(key));
        const made = [...next.values()].filter((slot) => ![...slots.values()].includes(slot));
        expect(made.length).toBe(Math.max(0, shown.length - slots.size));
        slots = next;
      }
    }),
  );
});

test('no other row takes over the slot with the focus', () => {
  fc.assert(
    fc.property(keys, keys, fc.nat(7), (before, after, focused) => {
      const slots = assignSlots(new Map(), before);
      const owner = before[focused];
      const next = assignSlots(slots, after, focused);
      for (const [key, slot] of next) if (slot === focused) expect(key).toBe(owner);
    }),
  );
});
