import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chooseCut, createUnsentBytes } from './unsent-bytes.ts';

interface Holder {
  readonly network: string;
  unsentBytes: number;
}
const holder = fc.record({
  network: fc.constantFrom('a', 'b', 'c', 'd'),
  unsentBytes: fc.nat({ max: 1_000 }),
});
const sum = (holders: readonly Holder[]) => holders.reduce((total, each) => total + each.unsentBytes, 0);

describe('the connections that are cut', () => {
  test('are none below the cap, and else as few as their order allows', () => {
    fc.assert(
      fc.property(fc.array(holder), fc.nat({ max: 10_000 }), (all, capBytes) => {
        const cut = chooseCut(all, capBytes);
        const left = all.filter((each) => !cut.includes(each));
        expect(sum(left)).toBeLessThanOrEqual(capBytes);
        const last = cut.at(-1);
        if (last !== undefined) expect(sum(left) + last.unsentBytes).toBeGreaterThan(capBytes);
      }),
    );
  });

  test('are each the greatest of the network that keeps the most at that moment', () => {
    fc.assert(
      fc.property(fc.array(holder), fc.nat({ max: 5_000 }), (all, capBytes) => {
        let left = all;
        for (const one of chooseCut(all, capBytes)) {
          const ofNetwork = (network: string) => left.filter((each) => each.network === network);
          for (const { network } of left)
            expect(sum(ofNetwork(network))).toBeLessThanOrEqual(sum(ofNetwork(one.network)));
          for (const each of ofNetwork(one.network))
            expect(each.unsentBytes).toBeLessThanOrEqual(one.unsentBytes);
          left = left.filter((each) => each !== one);
        }
      }),
    );
  });

  test('are not those of a client with one great answer while a stranger keeps more in small ones', () => {
    const bystander = { network: 'b', unsentBytes: 4_000 };
    const stranger = Array.from({ length: 100 }, () => ({ network: 'a', unsentBytes: 100 }));
    const cut = chooseCut([bystander, ...stranger], 8_000);
    expect(cut).toHaveLength(60);
    expect(cut).not.toContain(bystander);
  });
});

test('the sum is that of what was noted last of each connection, and stays within the cap when the chosen ones leave', () => {
  fc.assert(
    fc.property(
      fc.array(holder, { minLength: 1 }),
      fc.array(fc.tuple(fc.nat(), fc.nat({ max: 1_000 }))),
      (all, notes) => {
        for (const each of all) each.unsentBytes = 0;
        const open = new Set<Holder>(all);
        const unsent = createUnsentBytes<Holder>({ capBytes: 3_000, all: () => open });
        for (const [at, bytes] of notes) {
          const one = [...open][at % open.size];
          if (one === undefined) break;
          for (const cut of unsent.note(one, bytes)) {
            open.delete(cut);
            unsent.note(cut, 0);
          }
          expect(unsent.totalBytes).toBe(sum([...open]));
          expect(unsent.totalBytes).toBeLessThanOrEqual(3_000);
        }
      },
    ),
  );
});
