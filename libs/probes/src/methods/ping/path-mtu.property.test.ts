import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { afterTry, foundMtu, nextSize, type SizeAnswer, startMtuSearch } from './path-mtu.ts';

/** A link of a path. */
interface Link {
  readonly mtu: number;
  /** How the router before it answers a packet that is too big. */
  readonly says: 'mtu' | 'zero' | 'nothing';
}

const floor = 68;

/** The oracle: the first link that is too small answers. */
function send(links: readonly Link[], own: number, size: number): SizeAnswer {
  if (size > own) return { kind: 'unsent' };
  const at = links.findIndex(({ mtu }) => mtu < size);
  const link = links[at];
  if (link === undefined) return { kind: 'passed' };
  if (link.says === 'nothing') return { kind: 'lost' };
  return { kind: 'too-big', from: `hop ${at + 1}`, mtu: link.says === 'mtu' ? link.mtu : 0 };
}

function search(links: readonly Link[], own: number, size: number) {
  let state = startMtuSearch(size, floor, send(links, own, size));
  for (let next = nextSize(state); next !== undefined; next = nextSize(state))
    state = afterTry(state, next, send(links, own, next));
  return { found: foundMtu(state), tries: state.tries };
}

const linkMtu = fc.integer({ min: floor, max: 9216 });
const path = fc.array(fc.record({ mtu: linkMtu, says: fc.constantFrom('mtu', 'zero', 'nothing') } as const), {
  minLength: 1,
  maxLength: 6,
});

test('the search finds the smallest MTU of any path, and the hop that says so', () => {
  fc.assert(
    fc.property(path, linkMtu, fc.integer({ min: floor, max: 65_535 }), (links, own, size) => {
      const smallest = Math.min(own, ...links.map(({ mtu }) => mtu));
      fc.pre(size > smallest);
      const { found, tries } = search(links, own, size);
      expect(found).toMatchObject({ mtu: smallest, below: undefined });
      const first = links.findIndex(({ mtu }) => mtu <= smallest);
      const link = links[first];
      const hop = own === smallest ? '' : link?.says === 'nothing' ? undefined : `hop ${first + 1}`;
      expect(found?.hop).toBe(hop);
      expect(tries).toBeLessThanOrEqual(28);
    }),
    { numRuns: propertyRuns(500) },
  );
});

test('routers that lie cost a bounded number of tries', () => {
  const answer = fc.oneof(
    fc.constant<SizeAnswer>({ kind: 'passed' }),
    fc.constant<SizeAnswer>({ kind: 'lost' }),
    fc.constant<SizeAnswer>({ kind: 'unsent' }),
    fc.integer({ min: 0, max: 70_000 }).map<SizeAnswer>((mtu) => ({ kind: 'too-big', from: 'x', mtu })),
  );
  fc.assert(
    fc.property(fc.integer({ min: floor, max: 65_535 }), fc.infiniteStream(answer), (size, answers) => {
      let state = startMtuSearch(size, floor, { kind: 'too-big', from: 'x', mtu: size - 1 });
      let tries = 1;
      for (let next = nextSize(state); next !== undefined; next = nextSize(state)) {
        expect(next).toBeGreaterThanOrEqual(floor);
        expect(next).toBeLessThan(size);
        state = afterTry(state, next, answers.next().value);
        tries += 1;
        expect(tries).toBeLessThanOrEqual(28);
      }
      const found = foundMtu(state);
      if (found !== undefined) expect(found.mtu).toBeLessThan(size);
    }),
    { numRuns: propertyRuns(500) },
  );
});

test('one router that names the MTU costs one further try', () => {
  expect(search([{ mtu: 1400, says: 'mtu' }], 1500, 1500)).toEqual({
    found: { mtu: 1400, hop: 'hop 1', below: undefined },
    tries: 2,
  });
});
