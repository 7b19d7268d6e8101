import fc from 'fast-check';
import { expect, test } from 'vitest';
import { states } from './state.ts';
import { gridOf, maxTiles, type WallFacts, wallOf } from './wall-tiles.ts';

const places = ['Berlin', 'Oslo', 'Warsaw'] as const;

const facts: fc.Arbitrary<WallFacts> = fc
  .array(
    fc.record({
      state: fc.constantFrom(...states),
      sinceMs: fc.nat(1_000_000),
      master: fc.option(fc.nat(30), { nil: undefined }),
      isTaken: fc.boolean(),
      locations: fc.subarray([...places]),
    }),
    { maxLength: 30 },
  )
  .chain((rows) =>
    fc.subarray([...places]).map((online) => ({
      rows: rows.map(({ state, sinceMs, master, locations }, at) => ({
        id: `id-${at}`,
        name: `device ${at}`,
        shortName: `d-${at}`,
        state,
        sinceMs,
        locations,
        tags: [],
        downBecause: master === undefined ? null : `d-${master}`,
        maintenanceUntil: null,
      })),
      alerts: rows.map(({ isTaken }, at) => ({
        Kind: 'device.down',
        device_id: `id-${at}`,
        location_id: null,
        Location: 'Berlin',
        Since: '2026-02-25T23:38:03+01:00',
        Acknowledged: isTaken ? { By: 'Jana' } : null,
      })),
      locations: places.map((Name) => ({ location_id: Name, Name, Online: online.includes(Name) })),
    })),
  );

test('every device that is Down is a cause, behind one, or among the rest; nothing is told twice', () => {
  fc.assert(
    fc.property(facts, (given) => {
      const { tiles, causes } = wallOf(given);
      expect(tiles.length).toBeLessThanOrEqual(maxTiles);
      expect(new Set(tiles.map(({ key }) => key)).size).toBe(tiles.length);
      const hidden = tiles.find((tile) => tile.kind === 'rest');
      const down = tiles.filter((tile) => tile.kind === 'down');
      const told = down.reduce((sum, { behind }) => sum + 1 + behind, 0);
      const all = given.rows.filter(({ state }) => state === 'Down').length;
      if (hidden === undefined) expect([told, down.length]).toEqual([all, causes]);
      else expect(tiles.length - 1 + hidden.count).toBeGreaterThan(maxTiles);
    }),
  );
});

test('what nobody has comes before everything that somebody has', () => {
  fc.assert(
    fc.property(facts, (given) => {
      const owners = wallOf(given).tiles.flatMap((tile) =>
        tile.kind === 'down' ? [tile.by !== undefined] : [],
      );
      expect(owners).toEqual([...owners].sort((a, b) => Number(a) - Number(b)));
    }),
  );
});

test('a device that only an offline Location could check is told with that Location', () => {
  const row = {
    id: 'a',
    name: 'a',
    shortName: 'a',
    sinceMs: 0,
    tags: [],
    downBecause: null,
    state: 'Unknown' as const,
    maintenanceUntil: null,
    locations: ['Oslo'],
  };
  const locations = places.map((Name) => ({ location_id: Name, Name, Online: Name !== 'Oslo' }));
  const both = { ...row, id: 'b', name: 'b', shortName: 'b', locations: ['Oslo', 'Berlin'] };
  expect(wallOf({ rows: [row, both], alerts: [], locations }).tiles).toMatchObject([
    { kind: 'offline', name: 'Oslo', unknown: 1 },
    { kind: 'unknown', count: 1, names: ['b'] },
  ]);
});

test.each(Array.from({ length: maxTiles }, (_, at) => at + 1))('%s tiles fill their rows', (count) => {
  const { columns, isFirstWide } = gridOf(count);
  const cells = count + Number(isFirstWide);
  const rows = Math.ceil(cells / columns);
  expect(rows).toBeLessThanOrEqual(4);
  expect(rows * columns - cells).toBeLessThan(columns - 1 + Number(columns === 1));
});
