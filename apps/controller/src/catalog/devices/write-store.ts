import type { CauseOf } from '@vantage/health';
import type { Clock } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import { createWaitingWrites, pipelined, type Tables } from '../../platform/db/index.ts';
import type { ChangeTransaction } from '../change.ts';
import type { ChangeReach, SentSettings } from './fields.ts';
import { perMinuteAtEach, type References } from './references.ts';
import type { DeviceSettings } from './settings.ts';

/** A device that is to be created. */
export interface NewDevice {
  readonly deviceId: string;
  readonly accountNo: number;
  readonly method: string;
  readonly settings: DeviceSettings;
  readonly sealed: Buffer;
}

/** Inserts devices without their Locations and tags. Returns their numbers in the same order. */
async function insertDevices(
  { trx }: ChangeTransaction,
  devices: readonly NewDevice[],
  nowUs: number,
): Promise<readonly number[]> {
  if (devices.length === 0) return [];
  const given = devices.map(({ deviceId, accountNo, method, settings, sealed }) => ({
    device_id: deviceId,
    account_no: accountNo,
    method,
    ...rowOf(settings),
    sealed: `\\x${sealed.toString('hex')}`,
    changed_us: nowUs,
    created_us: nowUs,
    updated_us: nowUs,
  }));
  const columns = sql.join(Object.keys(given[0] ?? {}).map((column) => sql.ref(column)));
  const { rows } = await sql<{ device_no: number; device_id: string }>`
    insert into devices (${columns})
    select ${columns} from jsonb_populate_recordset(null::devices, ${JSON.stringify(given)}::jsonb) with ordinality
    order by ordinality returning device_no, device_id`.execute(trx);
  const numbers = new Map(rows.map(({ device_no, device_id }) => [device_id, device_no]));
  return devices.map(({ deviceId }) => numbers.get(deviceId) ?? 0);
}

/** The columns of the settings without `sealed`. */
function rowOf({ plain, target, references, warnings }: DeviceSettings) {
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
  // The caller holds the account's lock, so nobody else counts the revision up meanwhile.
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
async function insertLocations({ trx }: ChangeTransaction, devices: readonly Referring[]): Promise<void> {
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

/** Inserts the tags of devices. A tag that somebody deletes at the same moment is left out. */
async function insertTags({ trx }: ChangeTransaction, devices: readonly Referring[]): Promise<void> {
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

/** The causes of the events that say that these devices are deleted, read before that. */
export async function deletionsOf(
  trx: Kysely<Tables>,
  deviceNos: readonly number[],
): Promise<readonly CauseOf<'device-deleted'>[]> {
  const { rows } = await sql<Omit<CauseOf<'device-deleted'>, 'kind'>>`
    select account_no as "accountNo", device_no as "deviceNo", device_id as "deviceId", short_name as "deviceName",
      full_name as "fullName",
      array(select t.tag_no from device_tags t where t.device_no = d.device_no order by t.tag_no) as "tagNos"
    from devices d where device_no = any(${deviceNos}::int[]) order by device_no`.execute(trx);
  return rows.map((row) => ({ kind: 'device-deleted', ...row }));
}

/**
 * Deletes a device with everything that refers to it. The retention drops its raw checks. False: it was gone before.
 */
export async function deleteDevice({ trx }: ChangeTransaction, deviceNo: number): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('devices')
    .where('device_no', '=', deviceNo)
    .executeTakeFirst();
  return numDeletedRows > 0n;
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

/**
 * Moves the devices that name no Locations to these, in order. They get a new revision. Returns the Locations that
 * gained or lost devices.
 */
export async function moveDefaultDevices(
  { trx }: ChangeTransaction,
  accountNo: number,
  locationNos: readonly number[],
  nowUs: number,
): Promise<readonly number[]> {
  const { rows } = await sql<{ location_no: number }>`
    with moved as (
      update devices set revision = revision + 1, changed_us = ${nowUs}, updated_us = ${nowUs}
      where account_no = ${accountNo} and not locations_given
      returning device_no
    ), gone as (
      delete from device_locations where device_no in (select device_no from moved)
        and location_no <> all(${locationNos}::int[])
      returning location_no
    ), come as (
      insert into device_locations (device_no, location_no, rotation_index)
      select m.device_no, l.location_no, l.rotation_index - 1
      from moved m, unnest(${locationNos}::int[]) with ordinality as l (location_no, rotation_index)
      on conflict (device_no, location_no) do update set rotation_index = excluded.rotation_index
      returning location_no
    ) select location_no from gone union select location_no from come`.execute(trx);
  return rows.map(({ location_no }) => location_no);
}

/** New devices that are written together. */
interface Creations {
  /** The time of their creation. */
  readonly nowUs: number;
  readonly devices: NewDevice[];
  /** Of the first of them. */
  transaction: ChangeTransaction | undefined;
}

/** The things that a new device is resolved against, and where it goes then. */
interface Place {
  /** Those that are not written yet. */
  readonly waiting: readonly NewDevice[];
  /** Checks a minute that they add to a Location. */
  readonly waitingLoad: (locationNo: number) => number;
  /** For reading what the device names. */
  readonly trx: Kysely<Tables>;
  readonly nowUs: number;
  /** Writes the device, or leaves it to wait. */
  readonly add: (device: NewDevice) => Promise<void>;
}

/** The parts that creating devices needs. */
interface CreationDeps {
  readonly clock: Clock;
  readonly recordEvents: (
    trx: Kysely<Tables>,
    causes: readonly CauseOf<'device-created'>[],
    nowUs: number,
  ) => Promise<void>;
  /** Stores the states of new devices: no check has run yet. */
  readonly insertStates: (trx: Kysely<Tables>, deviceNos: readonly number[], nowUs: number) => Promise<void>;
  /** Has the planner plan Locations anew after the commit. */
  readonly notifyPlanner: (trx: Kysely<Tables>, locationNos: readonly number[]) => Promise<void>;
}

/**
 * Creates the function that finds the place of a new device. In a transaction that commits as a whole, devices wait for
 * each other and are written by a few statements for all, when something else is read or written. One that may refer to
 * another that waits does not wait.
 */
export function createCreations(deps: CreationDeps) {
  const { clock } = deps;
  const kind = createWaitingWrites<Creations>({
    begin: () => ({ nowUs: clock.nowUs(), devices: [], transaction: undefined }),
    isSeenBy: () => true,
    write: async (trx, { nowUs, devices, transaction }) =>
      transaction && writeAll(deps, { ...transaction, trx }, devices, nowUs),
  });
  return (transaction: ChangeTransaction, sent: SentSettings): Place => {
    const { trx, whole } = transaction;
    const gathered = whole && kind.of(whole);
    if (whole === undefined || gathered === undefined || refersTo(sent, gathered.devices)) {
      const nowUs = clock.nowUs();
      const add = (device: NewDevice) => writeAll(deps, transaction, [device], nowUs);
      return { waiting: [], waitingLoad: () => 0, trx, nowUs, add };
    }
    const { nowUs, devices } = gathered;
    return {
      waiting: devices,
      waitingLoad: (locationNo) => loadOf(devices, locationNo),
      trx: whole.reading,
      nowUs,
      async add(device) {
        gathered.transaction ??= transaction;
        devices.push(device);
      },
    };
  };
}

/** Whether a device may name one of these, or have its key. Pure. */
function refersTo({ ExternalKey, device_master_id }: SentSettings, devices: readonly NewDevice[]): boolean {
  if (typeof device_master_id === 'string') return true;
  return (
    typeof ExternalKey === 'string' &&
    devices.some(({ settings }) => settings.plain.external_key === ExternalKey)
  );
}

/** Checks a minute that these devices ask of a Location. Pure. */
function loadOf(devices: readonly NewDevice[], locationNo: number): number {
  let load = 0;
  for (const { settings } of devices) {
    const { locations } = settings.references;
    if (settings.plain.enabled && locations.some((each) => each.location_no === locationNo))
      load += perMinuteAtEach(settings.plain, locations.length);
  }
  return load;
}

async function writeAll(
  { insertStates, recordEvents, notifyPlanner }: CreationDeps,
  transaction: ChangeTransaction,
  devices: readonly NewDevice[],
  nowUs: number,
): Promise<void> {
  const numbers = await insertDevices(transaction, devices, nowUs);
  const written = devices.map(({ accountNo, settings: { plain, references } }, at) => ({
    accountNo,
    deviceNo: numbers[at] ?? 0,
    deviceName: plain.short_name,
    references,
  }));
  const causes = written.map(
    ({ accountNo, deviceNo, deviceName }): CauseOf<'device-created'> => ({
      kind: 'device-created',
      accountNo,
      deviceNo,
      deviceName,
    }),
  );
  const locationNos = written.flatMap(({ references }) =>
    references.locations.map(({ location_no }) => location_no),
  );
  await pipelined(transaction.trx, (pipe) => [
    insertLocations({ ...transaction, trx: pipe }, written),
    insertTags({ ...transaction, trx: pipe }, written),
    insertStates(pipe, numbers, nowUs),
    recordEvents(pipe, causes, nowUs),
    notifyPlanner(pipe, locationNos),
  ]);
}
