import { propertyRuns } from '@vantage/kernel/testing';
import type { Db } from '@vantage/storage';
import { createFixtures, type Fixtures } from '@vantage/testing/fixtures';
import { useDatabase } from '@vantage/testing/use-database';
import fc from 'fast-check';
import { type RawBuilder, sql } from 'kysely';
import { expect, test } from 'vitest';
import { type DeviceListRequest, sortFields } from './device-list-request.ts';
import { listDevices } from './device-list-store.ts';
import { slowList } from './testing/slow-list.ts';

let db: Db;
let make: Fixtures;
useDatabase((opened) => {
  db = opened;
  make = createFixtures(db.kysely);
});

/** Times are few, so that many of them are the same; `now` is in their middle. */
const nowUs = 10;
const time = fc.integer({ min: 1, max: 2 * nowUs });
const status = fc.constantFrom('Up', 'Down', 'Unknown');
const atLocations = fc.subarray([0, 1, 2]);
const device = fc.record({ at: atLocations, status, since: time, method: fc.constantFrom('TCP', 'PING') });
const location = fc.record({
  online: fc.boolean(),
  since: fc.option(time, { nil: null }),
  offline: fc.option(time, { nil: null }),
});
/** `ended`: its end was recorded. The end of a window that goes on was not. */
const window = fc
  .record({
    device: fc.nat({ max: 11 }),
    from: time,
    length: fc.integer({ min: 1, max: 8 }),
    ended: fc.boolean(),
  })
  .map(({ ended, ...one }) => ({ ...one, ended: ended && one.from + one.length <= nowUs }));
const step = fc.oneof(
  fc.record({ what: fc.constant('status' as const), device: fc.nat({ max: 11 }), status, since: time }),
  fc.record({ what: fc.constant('move' as const), device: fc.nat({ max: 11 }), at: atLocations }),
  fc.record({ what: fc.constant('location' as const), no: fc.nat({ max: 2 }), location }),
  fc.record({ what: fc.constant('window' as const), window }),
  fc.record({ what: fc.constant('record' as const) }),
  fc.record({ what: fc.constant('renew' as const), device: fc.nat({ max: 11 }) }),
  fc.record({ what: fc.constant('forget' as const), device: fc.nat({ max: 11 }) }),
  fc.record({ what: fc.constant('delete' as const), device: fc.nat({ max: 11 }) }),
);

/** An account with these Locations and devices. */
async function world(locations: readonly Place[], devices: readonly Made[]) {
  const accountNo = await make.account();
  const locationNos: number[] = [];
  for (const { online, since, offline } of locations)
    locationNos.push(
      await make.location(accountNo, { online, online_since_us: since, offline_since_us: offline }),
    );
  const deviceNos: number[] = [];
  for (const { at, method, status: is, since } of devices) {
    const nos = at.map((each) => locationNos[each] ?? 0);
    const no = await make.device(accountNo, nos, { method, short_name: `n${since}` });
    await sql`insert into device_state (device_no, account_no, location_nos, status, since_us, state)
      values (${no}, ${accountNo}, ${nos}::int[], ${is}, ${since}, '{}')`.execute(db.kysely);
    deviceNos.push(no);
  }
  return { accountNo, locationNos, deviceNos };
}
type Place = typeof location extends fc.Arbitrary<infer T> ? T : never;
type Made = typeof device extends fc.Arbitrary<infer T> ? T : never;
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function statementsOf(one: Step, { locationNos, deviceNos }: Awaited<ReturnType<typeof world>>) {
  const no = (index: number) => sql`${deviceNos[index % deviceNos.length] ?? 0}::int`;
  const statements: Record<Step['what'], () => RawBuilder<unknown>[]> = {
    status: () =>
      one.what !== 'status'
        ? []
        : [
            sql`update device_state set status = ${one.status}, since_us = ${one.since} where device_no = ${no(one.device)}`,
          ],
    move: () =>
      one.what !== 'move'
        ? []
        : [
            sql`delete from device_locations where device_no = ${no(one.device)}`,
            sql`insert into device_locations select d.device_no, l, 0 from devices d,
              unnest(${one.at.map((each) => locationNos[each] ?? 0)}::int[]) l where d.device_no = ${no(one.device)}`,
          ],
    location: () =>
      one.what !== 'location'
        ? []
        : [
            sql`update locations set online = ${one.location.online}, online_since_us = ${one.location.since},
              offline_since_us = ${one.location.offline} where location_no = ${locationNos[one.no] ?? 0}`,
          ],
    window: () =>
      one.what !== 'window'
        ? []
        : [
            sql`insert into maintenance_windows (device_no, from_us, to_us, end_notified)
              select device_no, ${one.window.from}::bigint, ${one.window.from + one.window.length}::bigint, ${one.window.ended}::boolean
              from devices where device_no = ${no(one.window.device)}`,
          ],
    record: () => [
      sql`update maintenance_windows set end_notified = true where not end_notified and to_us <= ${nowUs}`,
    ],
    renew: () =>
      one.what !== 'renew'
        ? []
        : [
            sql`update maintenance_windows set to_us = ${nowUs + 3}, end_notified = false where device_no = ${no(one.device)}`,
          ],
    forget: () =>
      one.what !== 'forget' ? [] : [sql`delete from maintenance_windows where device_no = ${no(one.device)}`],
    delete: () =>
      one.what !== 'delete' ? [] : [sql`delete from devices where device_no = ${no(one.device)}`],
  };
  return statements[one.what]();
}

/** Every status and order of the account, in pages, with and without other conditions. */
function asksOf(accountNo: number, locationNo: number, deviceNo: number, limit: number): DeviceListRequest[] {
  const base = { accountNo, nowUs, limit };
  const statuses = [undefined, 'Up', 'Down', 'Maint', 'Unknown'] as const;
  const conditions = [{}, { method: 'TCP' }, { locationNo }, { search: '1' }];
  return statuses.flatMap((shown) =>
    conditions.flatMap((condition) =>
      sortFields.flatMap((field) =>
        [false, true].flatMap((descending): DeviceListRequest[] => {
          const ask = { ...base, filter: { ...condition, status: shown }, sort: { field, descending } };
          const isByCreation = field === 'CreatedAt' && !descending;
          return [
            { ...ask, offset: 0 },
            isByCreation ? { ...ask, offset: 0, afterNo: deviceNo } : { ...ask, offset: limit },
          ];
        }),
      ),
    ),
  );
}

test('a list by status has the devices, the order and the total that the status of each device gives', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(location, location, location),
      fc.array(device, { minLength: 1, maxLength: 12 }),
      fc.array(step, { maxLength: 15 }),
      // The statement of a page of 25 is kept from one world to the next.
      fc.constantFrom(1, 2, 3, 4, 5, 25),
      fc.constantFrom(0, 3, 1_000),
      fc.uniqueArray(fc.nat({ max: 319 }), { minLength: 30, maxLength: 30 }),
      async (locations, devices, steps, limit, fewDevices, some) => {
        await world(locations, devices.slice(0, 2)); // of somebody else
        const made = await world(locations, devices);
        for (const one of steps)
          for (const statement of statementsOf(one, made)) await statement.execute(db.kysely);
        const { accountNo, locationNos, deviceNos } = made;
        const asks = asksOf(accountNo, locationNos[0] ?? 0, deviceNos[1] ?? 0, limit);
        for (const ask of asks.filter((_, at) => some.includes(at))) {
          const { rows, total } = await listDevices(db, ask, fewDevices);
          const right = await slowList(db, ask);
          expect(rows).toMatchObject(right.rows);
          expect({ ask, total: total ?? right.total }).toEqual({ ask, total: right.total });
        }
      },
    ),
    { numRuns: propertyRuns(12) },
  );
}, 300_000);
