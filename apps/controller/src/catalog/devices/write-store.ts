import { type Kysely, sql } from 'kysely';
import { Device, DeviceLocation } from '../../db/entities.ts';
import type { Tables } from '../../db/index.ts';
import type { ChangeTransaction } from '../change.ts';
import type { PlainSettings, References } from './settings.ts';
import type { ResolvedTarget } from './target.ts';

/** Everything of a device that its owner sets. */
export interface DeviceSettings {
  readonly plain: PlainSettings;
  readonly target: ResolvedTarget;
  readonly references: References;
  readonly warnings: readonly string[];
}

/** The columns of the settings; `sealed` is URL and Options with their secrets. */
function columns({ plain, target, references, warnings }: DeviceSettings, sealed: Uint8Array) {
  const { nscheduleNo, mscheduleNo, masterNo, locationsGiven } = references;
  return {
    ...plain,
    ...{ nscheduleNo, mscheduleNo, masterNo, locationsGiven, sealed },
    url: target.shownUrl,
    options: target.shownOptions,
    warnings: [...warnings],
  };
}

/** Inserts a device without its Locations and tags. Returns its number. */
export async function insertDevice(
  transaction: ChangeTransaction,
  device: {
    readonly deviceId: string;
    readonly accountNo: number;
    readonly method: string;
    readonly settings: DeviceSettings;
    readonly sealed: Uint8Array;
    readonly nowUs: number;
  },
): Promise<number> {
  const { deviceId, accountNo, method, settings, sealed, nowUs } = device;
  const { em } = transaction;
  const row = em.create(
    Device,
    {
      ...columns(settings, sealed),
      ...{ deviceId, accountNo, method, changedUs: nowUs, createdUs: nowUs, updatedUs: nowUs },
    },
    { persist: false },
  );
  // Often many devices are created one after the other, and a unit of work costs more than the insert.
  await em.insert(row);
  return row.deviceNo;
}

/**
 * The reach of a change: agents keep their assignment, get other settings, another schedule or Location, or another
 * target.
 */
export type ChangeReach = 'none' | 'settings' | 'schedule' | 'target';

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
    readonly nowUs: number;
  },
): Promise<void> {
  const { deviceNo, reach, nowUs } = change;
  const { em } = transaction;
  // The caller holds the account's lock, so nobody else counts the revision up meanwhile.
  const device = await em.findOneOrFail(Device, deviceNo);
  const revision = device.revision + 1;
  em.assign(device, {
    ...columns(change.settings, change.sealed),
    updatedUs: nowUs,
    ...(reach === 'none' ? {} : { revision }),
    ...(reach === 'target' ? { targetRevision: revision } : {}),
    ...(reach === 'target' || reach === 'schedule' ? { changedUs: nowUs } : {}),
  });
  await em.flush();
  await replaceTags(transaction, deviceNo, change.settings.references);
  if (change.newLocations) await replaceLocations(transaction, deviceNo, change.settings.references);
}

async function replaceLocations(
  transaction: ChangeTransaction,
  deviceNo: number,
  references: References,
): Promise<void> {
  await transaction.em.nativeDelete(DeviceLocation, { deviceNo });
  await insertLocations(transaction, deviceNo, references);
}

/** Inserts the Locations of a device. */
export async function insertLocations(
  { trx }: ChangeTransaction,
  deviceNo: number,
  { locations }: References,
): Promise<void> {
  if (locations.length === 0) return;
  const locationNos = locations.map(({ location_no }) => location_no);
  await sql`
    insert into device_locations (device_no, location_no, rotation_index)
    select ${deviceNo}::int, g.location_no, g.position - 1
    from unnest(${locationNos}::int[]) with ordinality as g (location_no, position)`.execute(trx);
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
  await insertTags(transaction, deviceNo, references);
}

/** Inserts the tags of a device. A tag that somebody deletes at the same moment is left out. */
export async function insertTags(
  { trx }: ChangeTransaction,
  deviceNo: number,
  { tags }: References,
): Promise<void> {
  if (tags.length === 0) return;
  const tagNos = tags.map(({ tag_no }) => tag_no);
  await sql`
    insert into device_tags (tag_no, device_no)
    select tag_no, ${deviceNo}::int from tags where tag_no = any(${tagNos}::int[]) for key share
    on conflict do nothing`.execute(trx);
}

/**
 * Deletes a device with everything that refers to it. The retention drops its raw checks. False: it was gone before.
 */
export async function deleteDevice({ em }: ChangeTransaction, deviceNo: number): Promise<boolean> {
  return (await em.nativeDelete(Device, { deviceNo })) > 0;
}

/** The devices that have this one as their master. */
export async function dependentsOf(
  trx: Kysely<Tables>,
  deviceNo: number,
): Promise<readonly { readonly device_id: string; readonly short_name: string }[]> {
  return trx
    .selectFrom('devices')
    .select(['device_id', 'short_name'])
    .where('master_no', '=', deviceNo)
    .orderBy('device_no')
    .limit(100)
    .execute();
}

/** Numbers of the Locations that check a device. */
export async function locationNosOf(trx: Kysely<Tables>, deviceNo: number): Promise<readonly number[]> {
  const rows = await trx
    .selectFrom('device_locations')
    .select('location_no')
    .where('device_no', '=', deviceNo)
    .execute();
  return rows.map(({ location_no }) => location_no);
}
