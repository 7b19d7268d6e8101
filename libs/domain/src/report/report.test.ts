import fc from 'fast-check';
import { expect, test } from 'vitest';
import { percent } from './numbers.ts';
import { compareLines, levelBelow, parseObjective, type ReportFacts, reportOf } from './report.ts';
import { percentOf } from './uptime-statement.ts';

const seconds = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 40_000_000 }));
const uptimes = fc.array(
  fc.record({ up: seconds, down: seconds, maintenance: seconds, unknown: seconds, outages: fc.nat(9) }),
  { minLength: 1, maxLength: 8 },
);

function factsOf(
  rows: readonly { up: number; down: number; maintenance: number; unknown: number; outages: number }[],
  more: Partial<ReportFacts> = {},
): ReportFacts {
  return {
    uptimes: rows.map(({ up, down, maintenance, unknown, outages }, at) => ({
      device_id: `id-${at}`,
      ShortName: `d${at}`,
      FullName: null,
      Uptime: {
        UpSeconds: up,
        DownSeconds: down,
        MaintenanceSeconds: maintenance,
        UnknownSeconds: unknown,
        Outages: outages,
        ExcludedSeconds: 0,
        ExcludedOutages: 0,
      },
    })),
    outages: [],
    tags: new Map(),
    base: '',
    objective: undefined,
    restSeconds: 0,
    ...more,
  };
}

test('the total is the sum of its devices, and a group that of its own', () => {
  fc.assert(
    fc.property(uptimes, fc.array(fc.subarray(['a/x', 'a/y', 'b'])), (rows, given) => {
      const tags = new Map(rows.map((_, at) => [`id-${at}`, given[at] ?? []]));
      const { total, devices, groups } = reportOf(factsOf(rows, { tags }));
      const sum = (of: (row: (typeof rows)[number]) => number) => rows.reduce((all, row) => all + of(row), 0);
      expect(total.figures).toMatchObject({
        up: sum(({ up }) => up),
        down: sum(({ down }) => down),
        maintenance: sum(({ maintenance }) => maintenance),
        unknown: sum(({ unknown }) => unknown),
        outages: sum(({ outages }) => outages),
      });
      for (const { devices: ids, figures } of groups)
        expect(figures.down).toBe(
          devices.filter(({ key }) => ids.includes(key)).reduce((all, line) => all + line.figures.down, 0),
        );
      // Every device is in a group, once in each.
      expect(new Set(groups.flatMap((group) => group.devices)).size).toBe(rows.length);
      for (const group of groups) expect(new Set(group.devices).size).toBe(group.devices.length);
      const sorted = [...devices].sort(compareLines);
      expect(devices).toEqual(sorted);
    }),
  );
});

test('only an unbroken time is 100 %, however long it is', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 45 }), fc.integer({ min: 1, max: 1_000 }), (up, down) => {
      expect(percent(percentOf({ up, down }))).not.toMatch(/^100/);
      expect(percent(percentOf({ up, down: 0 }))).toBe('100\u00a0%');
    }),
  );
  expect(percentOf({ up: 0, down: 0 })).toBe(null);
  expect(percentOf({ up: 0, down: 5 })).toBe(0);
});

test('an objective is kept exactly while no second is missing', () => {
  fc.assert(
    fc.property(
      seconds,
      seconds,
      fc.integer({ min: 1, max: 100_000 }),
      seconds,
      (up, down, objective, rest) => {
        const facts = factsOf([{ up, down, maintenance: 0, unknown: 0, outages: 0 }], {
          objective,
          restSeconds: rest,
        });
        const budget = reportOf(facts).total.budget;
        const allowed = (BigInt(up + down + rest) * BigInt(100_000 - objective)) / 100_000n;
        expect(budget).toEqual({ isKept: BigInt(down) <= allowed, left: Number(allowed) - down });
      },
    ),
  );
});

test.each([
  ['99.9', 99_900],
  ['100', 100_000],
  ['0.001', 1],
  ['99.95', 99_950],
  ['100.001', undefined],
  ['0', undefined],
  ['99,9', undefined],
  ['99.9995', undefined],
  ['', undefined],
  ['-1', undefined],
])('the objective "%s" is %s thousandths of a percent', (text, thousandths) => {
  expect(parseObjective(text)).toBe(thousandths);
});

test.each([
  ['service/shop/eu', '', 'service'],
  ['service/shop/eu', 'service', 'service/shop'],
  ['Service/shop', 'service', 'Service/shop'],
  ['service', 'service', 'service'],
  ['services/x', 'service', undefined],
  ['oslo', '', 'oslo'],
])('the tag %s below "%s" is in the group %s', (tag, base, group) => {
  expect(levelBelow(tag, base)).toBe(group);
});
