import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CandidateMaster, suggestMaster, type TracedWay } from './suggest-master.ts';

/** A tree of routers: the parent of each node has a lesser number, node 0 is the agent's gateway. */
const tree = fc
  .array(fc.nat(), { minLength: 2, maxLength: 21 })
  .map((seeds) => seeds.map((seed, node) => (node === 0 ? 0 : seed % node)));

const addressOf = (node: number) => `10.0.0.${node}`;

function candidate(node: number): CandidateMaster {
  return { deviceId: `d${node}`, name: `r${node}`, isPing: true, addresses: [addressOf(node)] };
}

function pathTo(parents: readonly number[], node: number): number[] {
  return node === 0 ? [0] : [...pathTo(parents, parents[node] ?? 0), node];
}

test('property: in any tree each device gets the nearest router before it that is a device, and never another one', () => {
  fc.assert(
    fc.property(tree, fc.infiniteStream(fc.boolean()), (parents, coins) => {
      const isDevice = parents.map(() => coins.next().value === true);
      for (const node of parents.keys()) {
        const path = pathTo(parents, node);
        const candidates = [...parents.keys()]
          .filter((one) => one !== node && isDevice[one] === true)
          .map(candidate);
        const expected = path.slice(0, -1).findLast((one) => isDevice[one] === true);
        const whole: TracedWay = { locationNo: 1, hops: path.map(addressOf), isReached: true };
        const cut: TracedWay = {
          locationNo: 1,
          hops: path.slice(0, Math.ceil(path.length / 2)).map(addressOf),
          isReached: false,
        };
        const own = new Set([addressOf(node)]);
        const found = suggestMaster([cut, whole, cut], candidates, own);
        expect(found.kind === 'master' ? found.candidate.name : undefined).toBe(
          expected === undefined ? undefined : `r${expected}`,
        );
        if (found.kind === 'master') expect(found.isComplete).toBe(true);
        const early = suggestMaster([cut], candidates, own);
        if (early.kind !== 'master') return;
        expect(early.isComplete).toBe(false);
        expect(path.map((one) => `r${one}`)).toContain(early.candidate.name);
      }
    }),
  );
});

const ways = (...hops: readonly (readonly [location: number, ...hops: (string | null)[]])[]): TracedWay[] =>
  hops.map(([locationNo, ...rest]) => ({ locationNo, hops: rest, isReached: true }));
const gateway = { ...candidate(1), isPing: false };
const other = candidate(2);

test.each<[what: string, given: TracedWay[], expected: object]>([
  ['no traceroute', [], { kind: 'none', reason: 'no check of the last 30 days has a traceroute' }],
  ['no router that is a device', ways([1, '10.0.0.9']), { kind: 'none' }],
  [
    'silent routers, one of which may be nearer',
    ways([1, '10.0.0.1', null, '10.0.0.7']),
    { kind: 'master', candidate: gateway, isComplete: false },
  ],
  [
    'a router that was silent once',
    ways([1, '10.0.0.1', null, '10.0.0.7'], [1, '10.0.0.1', '10.0.0.8', '10.0.0.7']),
    { kind: 'master', candidate: gateway, isComplete: true },
  ],
  [
    'Locations that have the same router before it',
    ways([1, '10.0.0.9', '10.0.0.1'], [2, '10.0.0.1']),
    { kind: 'master', candidate: gateway, address: '10.0.0.1' },
  ],
  [
    'Locations that reach it by different routers',
    ways([1, '10.0.0.1'], [2, '10.0.0.2']),
    { kind: 'none', reason: 'its Locations reach it by different routers' },
  ],
  ['a Location whose way has no device', ways([1, '10.0.0.1'], [2, '10.0.0.9']), { kind: 'none' }],
])('%s', (_what, given, expected) => {
  expect(suggestMaster(given, [gateway, other], new Set(['10.0.0.7']))).toMatchObject(expected);
});

test('a way that ended before the master does not contradict the complete way of another Location', () => {
  const nearer = candidate(3);
  const whole = { locationNo: 1, hops: ['10.0.0.1', '10.0.0.3', '10.0.0.7'], isReached: true };
  for (const hops of [['10.0.0.1'], ['10.0.0.9'], ['10.0.0.1', null]]) {
    const cut = { locationNo: 2, hops, isReached: false };
    for (const ways of [
      [whole, cut],
      [cut, whole],
    ])
      expect(suggestMaster(ways, [gateway, nearer], new Set(['10.0.0.7']))).toMatchObject({
        kind: 'master',
        candidate: nearer,
        isComplete: true,
      });
  }
});

test('of several devices with one address the one that is pinged is suggested', () => {
  const web = { ...candidate(1), deviceId: 'web', isPing: false };
  const found = suggestMaster(ways([1, '10.0.0.1']), [web, candidate(1), web], new Set());
  expect(found).toMatchObject({ kind: 'master', candidate: { deviceId: 'd1' } });
});
