import fc from 'fast-check';
import { expect, test } from 'vitest';
import { surplusOf } from './balance.ts';

const most = (all: number, gateways: number) => {
  const share = Math.ceil(all / gateways);
  return share + Math.max(1, Math.floor(share / 10));
};

test('agents spread over all gateways, also over added ones, and then stay', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(2_000), { minLength: 2, maxLength: 6 }),
      fc.infiniteStream(fc.nat(1_000_000)),
      (counts, random) => {
        const agents = [...counts];
        const all = agents.reduce((sum, own) => sum + own, 0);
        const most_ = most(all, agents.length);
        for (let round = 0; round < 400 && agents.some((own) => own > most_); round += 1) {
          const gone = agents.map((own) => surplusOf({ here: own, all, gateways: agents.length }));
          // They go at random to one of the others.
          for (const [from, count] of gone.entries())
            for (let i = 0; i < count; i += 1) {
              const others = agents.map((_, at) => at).filter((at) => at !== from);
              const to = others[random.next().value % others.length] ?? 0;
              agents[from] = (agents[from] ?? 0) - 1;
              agents[to] = (agents[to] ?? 0) + 1;
            }
        }
        expect(agents.reduce((sum, own) => sum + own, 0)).toBe(all);
        expect(Math.max(...agents)).toBeLessThanOrEqual(most_);
        expect(agents.map((own) => surplusOf({ here: own, all, gateways: agents.length }))).toEqual(
          agents.map(() => 0),
        );
      },
    ),
    { numRuns: 60 },
  );
});

test.each([
  ['alone', { here: 500, all: 500, gateways: 1 }, 0],
  ['no gateway is known to live', { here: 5, all: 0, gateways: 0 }, 0],
  ['one more than its share', { here: 3, all: 4, gateways: 2 }, 0],
  ['all agents of two gateways', { here: 4, all: 4, gateways: 2 }, 1],
  ['a tenth more', { here: 110, all: 200, gateways: 2 }, 0],
  ['more than a tenth more', { here: 111, all: 200, gateways: 2 }, 5],
  ['many at once', { here: 10_000, all: 10_000, gateways: 2 }, 500],
])('%s', (_, shares, surplus) => {
  expect(surplusOf(shares)).toBe(surplus);
});
