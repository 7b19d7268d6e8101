import { sql } from 'kysely';
import type { ChangeTransaction } from '../../resources/change.ts';
import type { DeviceSettings } from './device-settings.ts';
import type { ChangeReach } from './device-table.ts';
import type { References } from './references.ts';

/** A device that is to be created. */
export interface NewDevice {
  readonly deviceId: string;
  readonly accountNo: number;
  readonly method: string;
  readonly settings: DeviceSettings;
  readonly sealed: Buffer;
  /** Of a Push device. */
  readonly pushTokenHash?: Buffer | undefined;
}

/** The columns of the settings without `sealed`. */
export function rowOf({ plain, target, references, warnings }: DeviceSettings) {
  return {
    url: target.shownUrl,
    options: target.shownOptions,
    ...plain,
    nschedule_no: references.nscheduleNo,
    mschedule_no: references.mscheduleNo,
    master_no: references.masterNo,
    locations_given: references.locationsGiven,
    warnings,
  };
}

/**
 * Writes changed settings. After a change of the target, results under older settings no longer count for the status.
 * After a change of the target, the schedule or the Locations, the device is checked at once.
 */
export async function updateDevice(
  transaction: ChangeTransaction,
  change: {
    readonly deviceNo: number;
    readonly settings: DeviceSettings;
    readonly sealed: Uint8Array;
    readonly reach: ChangeReach;
    readonly newLocations: boolean;
    readonly newTags: boolean;
    readonly nowUs: number;
  },
): Promise<void> {
  const { deviceNo, settings, sealed, reach, nowUs } = change;
  const { trx } = transaction;
  const { options, warnings, ...columns } = rowOf(settings);
  // The caller has locked the account, so no other transaction increments the revision.
  await trx
    .updateTable('devices')
    .set({
      ...columns,
      sealed,
      options: JSON.stringify(options),
      warnings: [...warnings],
      updated_us: nowUs,
      ...(reach === 'none' ? {} : { revision: sql<number>`revision + 1` }),
      ...(reach === 'target' ? { target_revision: sql<number>`revision + 1` } : {}),
      ...(reach === 'target' || reach === 'schedule' ? { changed_us: nowUs } : {}),
    })
    .where('device_no', '=', deviceNo)
    .execute();
  if (change.newTags) await replaceTags(transaction, deviceNo, settings.references);
  if (change.newLocations) await replaceLocations(transaction, deviceNo, settings.references);
}

async function replaceLocations(
  transaction: ChangeTransaction,
  deviceNo: number,
  references: References,
): Promise<void> {
  const { trx } = transaction;
  await trx.deleteFrom('device_locations').where('device_no', '=', deviceNo).execute();
  await insertLocations(transaction, [{ deviceNo, references }]);
}

/** A device with the things that it refers to. */
interface Referring {
  readonly deviceNo: number;
  readonly references: Pick<References, 'locations' | 'tags'>;
}

/** Inserts the Locations of devices. */
export async function insertLocations(
  { trx }: ChangeTransaction,
  devices: readonly Referring[],
): Promise<void> {
  const rows = devices.flatMap(({ deviceNo, references }) =>
    references.locations.map(({ location_no }, index) => ({ deviceNo, location_no, index })),
  );
  if (rows.length === 0) return;
  await sql`
    insert into device_locations (device_no, location_no, rotation_index)
    select * from unnest(${rows.map(({ deviceNo }) => deviceNo)}::int[],
      ${rows.map(({ location_no }) => location_no)}::int[], ${rows.map(({ index }) => index)}::int[])`.execute(
    trx,
  );
}

async function replaceTags(
  transaction: ChangeTransaction,
  deviceNo: number,
  references: References,
): Promise<void> {
  const tagNos = references.tags.map(({ tag_no }) => tag_no);
  await sql`delete from device_tags where device_no = ${deviceNo} and tag_no <> all(${tagNos}::int[])`.execute(
    transaction.trx,
  );
  await insertTags(transaction, [{ deviceNo, references }]);
}

/** Inserts the tags of devices. A tag that is deleted at the same time is left out. */
export async function insertTags({ trx }: ChangeTransaction, devices: readonly Referring[]): Promise<void> {
  const rows = devices.flatMap(({ deviceNo, references }) =>
    references.tags.map(({ tag_no }) => ({ deviceNo, tag_no })),
  );
  if (rows.length === 0) return;
  await sql`
    insert into device_tags (tag_no, device_no)
    select t.tag_no, g.device_no from unnest(${rows.map(({ deviceNo }) => deviceNo)}::int[],
      ${rows.map(({ tag_no }) => tag_no)}::int[]) as g (device_no, tag_no)
    join tags t on t.tag_no = g.tag_no for key share of t
    on conflict do nothing`.execute(trx);
}
