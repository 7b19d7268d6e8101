import { sql } from 'kysely';
import { expect, test } from 'vitest';
import {
  batchOf,
  minuteUs,
  result,
  useIngestFixture,
} from '../../src/results/ingest/testing/ingest-fixture.ts';

const fixture = useIngestFixture();

/** Deletes the fixture's first device. Resolves with its number and the time of the deletion. */
async function deleteDevice() {
  const { db, deviceNos } = fixture;
  const [deviceNo = 0] = deviceNos;
  await db.kysely.deleteFrom('device_locations').where('device_no', '=', deviceNo).execute();
  await db.kysely.deleteFrom('devices').where('device_no', '=', deviceNo).execute();
  const { deleted_us: deletedUs } = await db.kysely
    .selectFrom('deleted_devices')
    .select('deleted_us')
    .where('device_no', '=', deviceNo)
    .executeTakeFirstOrThrow();
  return { deviceNo, deletedUs };
}

test('a result that was on the way when its device was deleted is dropped, and others of the batch are stored', async () => {
  const { deviceNo, deletedUs } = await deleteDevice();
  const [, other = 0] = fixture.deviceNos;
  const batch = batchOf(
    result(deviceNo, deletedUs - 5_000_000),
    result(deviceNo, deletedUs + 1_000_000),
    result(other, deletedUs - 5_000_000),
  );
  const outcome = await fixture.ingestWith().accept(fixture.sender, batch);
  expect(outcome).toEqual({ inserted: 1, repeated: 0, quarantined: 0 });
  expect((await fixture.stored()).map(({ device_no }) => device_no)).toEqual([other]);
  expect(await fixture.quarantined()).toEqual([]);
});

test('a check that started well after its device was deleted is quarantined', async () => {
  const { deviceNo, deletedUs } = await deleteDevice();
  const batch = batchOf(result(deviceNo, deletedUs + minuteUs + 1_000_000));
  expect(await fixture.ingestWith().accept(fixture.sender, batch)).toMatchObject({ quarantined: 1 });
});

test("a device that never was and another account's deleted device are quarantined as before", async () => {
  const { deviceNo, deletedUs } = await deleteDevice();
  await sql`update deleted_devices set account_no = account_no + 1000000 where device_no = ${deviceNo}`.execute(
    fixture.db.kysely,
  );
  const batch = batchOf(
    result(deviceNo, deletedUs - 5_000_000),
    result(2_000_000_000, deletedUs - 5_000_000),
  );
  expect(await fixture.ingestWith().accept(fixture.sender, batch)).toMatchObject({ quarantined: 2 });
  expect((await fixture.quarantined()).map(({ reason }) => reason)).toEqual([
    'the agent did not hold this device then',
    'the agent did not hold this device then',
  ]);
});
