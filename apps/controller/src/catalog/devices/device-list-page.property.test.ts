import { propertyRuns } from '@vantage/kernel/testing';
import type { Db } from '@vantage/storage';
import { createFixtures, type Fixtures } from '@vantage/testing/fixtures';
import { useDatabase } from '@vantage/testing/use-database';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { byCreation, type DeviceListRequest } from './device-list-request.ts';
import { listDevices } from './device-list-store.ts';
import { slowList } from './testing/slow-list.ts';

let db: Db;
let make: Fixtures;
useDatabase((opened) => {
  db = opened;
  make = createFixtures(db.kysely);
});

/**
 * Few letters, so that texts have much in common; those with a meaning to LIKE, to a tsquery or to the index are among
 * them.
 */
const letter = fc.constantFrom(
  'a',
  'b',
  'B',
  'ä',
  'Ä',
  '😀',
  '%',
  '_',
  '\\',
  "'",
  ':',
  '*',
  '&',
  '|',
  '!',
  ' ',
);
const text = (maxLength: number) => fc.string({ unit: letter, minLength: 1, maxLength });
/** Of a text of more than 2,000 letters the index has the begin only. */
const long = fc
  .tuple(fc.constantFrom(1_990, 2_000, 3_000), text(8))
  .map(([x, end]) => `${'x'.repeat(x)}${end}`);
const device = fc.record({
  short_name: text(8),
  full_name: fc.option(text(8), { nil: null }),
  url: fc.oneof({ arbitrary: text(8), weight: 9 }, { arbitrary: long, weight: 1 }),
  method: fc.constantFrom('TCP', 'PING'),
});
/** Search texts: letters, or a part of a URL. */
const search = fc.oneof(
  text(6),
  fc.record({
    at: fc.nat({ max: 11 }),
    from: fc.nat({ max: 2_010 }),
    length: fc.integer({ min: 1, max: 8 }),
  }),
);
const change = fc.record({
  at: fc.nat({ max: 11 }),
  values: fc.oneof(
    fc.record({ short_name: text(8) }),
    fc.record({ full_name: fc.option(text(8), { nil: null }) }),
    fc.record({ url: text(8) }),
    fc.constant('delete' as const),
  ),
});

test('a search finds the devices whose texts have it, however few letters it has, in every order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(device, { minLength: 1, maxLength: 12 }),
      fc.array(change, { maxLength: 6 }),
      fc.array(search, { minLength: 8, maxLength: 8 }),
      fc.integer({ min: 1, max: 4 }),
      fc.constantFrom(0, 3, 1_000),
      async (devices, changes, searches, limit, fewDevices) => {
        const [accountNo, otherNo] = [await make.account(), await make.account()];
        const nos: number[] = [];
        for (const values of devices) {
          await make.device(otherNo, [], values);
          nos.push(await make.device(accountNo, [], values));
        }
        for (const { at, values } of changes) {
          const deviceNo = nos[at % nos.length] ?? 0;
          if (values === 'delete')
            await db.kysely.deleteFrom('devices').where('device_no', '=', deviceNo).execute();
          else await db.kysely.updateTable('devices').set(values).where('device_no', '=', deviceNo).execute();
        }
        const texts = searches.map((each) => {
          if (typeof each === 'string') return each;
          const letters = Array.from(devices[each.at % devices.length]?.url ?? '');
          const from = each.from % letters.length;
          return letters.slice(from, from + each.length).join('');
        });
        for (const ask of texts.flatMap((searched) => asksOf(accountNo, searched, limit, nos[1] ?? 0)))
          expect((await listDevices(db, ask, fewDevices)).rows).toMatchObject((await slowList(db, ask)).rows);
      },
    ),
    { numRuns: propertyRuns(15) },
  );
}, 300_000);

function asksOf(accountNo: number, search: string, limit: number, deviceNo: number): DeviceListRequest[] {
  const ask = { accountNo, nowUs: 10, limit, offset: 0, filter: { search }, sort: byCreation };
  return [
    ask,
    { ...ask, offset: limit },
    { ...ask, afterNo: deviceNo },
    { ...ask, filter: { search, methods: ['PING'] } },
    { ...ask, sort: { field: 'CreatedAt', descending: true } },
    { ...ask, sort: { field: 'ShortName', descending: false } },
    { ...ask, sort: { field: 'ShortName', descending: true }, offset: 1 },
    { ...ask, filter: { search, methods: ['TCP'] }, sort: { field: 'ShortName', descending: false } },
  ];
}

test('the table that a search reads has the texts of all devices and of no others', async () => {
  const { rows } = await sql<{ wrong: number }>`
    select count(*)::int as wrong from devices d full join device_texts t using (device_no)
    where d.device_no is null or t.device_no is null or t.account_no <> d.account_no or t.short_name <> d.short_name
      or t.text <> lower(d.short_name || chr(10) || coalesce(d.full_name, '') || chr(10) || d.url)`.execute(
    db.kysely,
  );
  expect(rows).toEqual([{ wrong: 0 }]);
});
