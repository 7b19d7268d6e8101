import type { DeviceStatus } from '@vantage/domain';
import { isId } from '@vantage/kernel';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isOneOf, type Tables } from '../../platform/db/index.ts';
import { statusSql } from '../../platform/db/status.ts';
import type { ChangeTransaction } from '../change.ts';
import { sharedTable } from '../devices/fields.ts';
import { byCreation, conditionsOf, type DeviceFilter } from '../devices/list-ask.ts';
import { columnsOf } from '../field-table.ts';
import type { Candidate, Changed, Wanted } from './judge.ts';

/** Which devices a change is about. */
interface Meant {
  readonly accountNo: number;
  readonly filter: DeviceFilter;
  readonly nowUs: number;
  /** Masters come after the devices behind them, so that all of them can be deleted in this order. */
  readonly mastersLast: boolean;
}

/** The numbers of the devices that are meant, in the order in which they are changed. */
export async function meantDevices(db: Kysely<Tables>, meant: Meant): Promise<readonly number[]> {
  const { accountNo, nowUs, mastersLast } = meant;
  const { statuses, ...filter } = meant.filter;
  const shown = statusSql(nowUs);
  const ask = { accountNo, filter, nowUs, limit: 0, offset: 0, sort: byCreation };
  const { rows } = await sql<{ device_no: number; master_no: number | null }>`
    select d.device_no, d.master_no from devices d ${statuses === undefined ? sql`` : shown.joins}
    where ${conditionsOf(ask)}
      ${statuses === undefined ? sql`` : sql`and ${isOneOf(shown.status, statuses, 'text')}`}
    order by d.device_no`.execute(db);
  return mastersLast ? dependentsFirst(rows) : rows.map(({ device_no }) => device_no);
}

/** The devices in an order in which each comes before its master, where that is among them. */
function dependentsFirst(
  rows: readonly { readonly device_no: number; readonly master_no: number | null }[],
): readonly number[] {
  const behind = new Map(rows.map(({ device_no }) => [device_no, 0]));
  for (const { master_no } of rows)
    if (master_no !== null && behind.has(master_no)) behind.set(master_no, (behind.get(master_no) ?? 0) + 1);
  const masterOf = new Map(rows.map(({ device_no, master_no }) => [device_no, master_no]));
  const order = rows.filter(({ device_no }) => behind.get(device_no) === 0).map(({ device_no }) => device_no);
  for (const device_no of order) {
    const master = masterOf.get(device_no) ?? null;
    const left = master === null ? undefined : behind.get(master);
    if (master === null || left === undefined) continue;
    behind.set(master, left - 1);
    if (left === 1) order.push(master);
  }
  return order;
}

/** The numbers of those of these ids that are devices of the account. */
export async function deviceNosOf(
  db: Kysely<Tables>,
  accountNo: number,
  deviceIds: readonly string[],
): Promise<readonly number[]> {
  const { rows } = await sql<{ device_no: number }>`
    select device_no from devices
    where account_no = ${accountNo}::int and device_id = any(${deviceIds.filter(isId)}::text[])`.execute(db);
  return rows.map(({ device_no }) => device_no);
}

/** Lists that are read beside the device's row; only where they matter, because a preview reads all devices. */
interface Reading {
  readonly locations: boolean;
  readonly tags: boolean;
}

function readingFor({ set, addTagNos, removeTagNos }: Wanted): Reading {
  return { locations: set.Locations !== undefined, tags: addTagNos.length + removeTagNos.length > 0 };
}

/** These devices as they are now, without those that were deleted. Lists that the change does not touch are empty. */
export async function readCandidates(
  db: Kysely<Tables>,
  deviceNos: readonly number[],
  wanted: Wanted,
): Promise<readonly Candidate[]> {
  const { rows } = await sql<Candidate>`
    select d.device_no, d.device_id, d.short_name, ${settingsSql(readingFor(wanted))}
    from devices d where d.device_no = any(${deviceNos}::int[]) order by d.device_no`.execute(db);
  return rows;
}

/** Devices that have the same settings. */
interface Alike extends Omit<Candidate, 'device_no' | 'device_id' | 'short_name'> {
  readonly devices: number;
}

/** How many of these devices have which settings: a preview judges all that are alike at once. */
export async function readAlike(
  db: Kysely<Tables>,
  deviceNos: readonly number[],
  wanted: Wanted,
): Promise<readonly Alike[]> {
  const { rows } = await sql<Alike>`
    select count(*)::int as devices, a.* from (
      select ${settingsSql(readingFor(wanted))} from devices d where d.device_no = any(${deviceNos}::int[])) a
    group by ${sql.join(settings.map((column) => sql.ref(`a.${column}`)))}`.execute(db);
  return rows;
}

const plain = [
  ...columnsOf(sharedTable),
  ...(['nschedule_no', 'mschedule_no', 'master_no', 'locations_given'] as const),
];
const settings = [...plain, 'location_nos', 'tag_nos'] as const;

/** The settings of the devices `d`. */
function settingsSql({ locations, tags }: Reading): RawBuilder<unknown> {
  const listed = (read: boolean, list: RawBuilder<unknown>) => (read ? list : sql`array[]::int[]`);
  const locationNos = sql`array(select l.location_no from device_locations l where l.device_no = d.device_no order by l.rotation_index)`;
  const tagNos = sql`array(select t.tag_no from device_tags t where t.device_no = d.device_no order by t.tag_no)`;
  return sql`${sql.join(plain.map((column) => sql.ref(`d.${column}`)))}, ${listed(locations, locationNos)} as location_nos, ${listed(tags, tagNos)} as tag_nos`;
}

/** The device and the devices above it, whatever the caller sees. */
export async function withMasters(db: Kysely<Tables>, deviceNo: number): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ device_no: number }>`select device_no from masters_of(${deviceNo})`.execute(
    db,
  );
  return new Set(rows.map(({ device_no }) => device_no));
}

/** Writes the settings of these devices in one statement; triggers move what depends on them. */
export async function writeSettings(
  { trx }: ChangeTransaction,
  changed: readonly Changed[],
  nowUs: number,
): Promise<void> {
  const rows = changed.map(({ device: { device_no }, to: { next, reach, locationsGiven } }) => ({
    ...next,
    device_no,
    reach,
    locations_given: locationsGiven,
  }));
  await sql`
    update devices d set ${sql.join(plain.map((column) => sql`${sql.ref(column)} = ${sql.ref(`g.${column}`)}`))},
      updated_us = ${nowUs}::bigint,
      revision = case r.value ->> 'reach' when 'none' then d.revision else d.revision + 1 end,
      target_revision = case r.value ->> 'reach' when 'target' then d.revision + 1 else d.target_revision end,
      changed_us = case when r.value ->> 'reach' in ('target', 'schedule') then ${nowUs}::bigint else d.changed_us end
    from jsonb_array_elements(${JSON.stringify(rows)}::jsonb) r (value) cross join lateral jsonb_populate_record(null::devices, r.value) g
    where d.device_no = g.device_no`.execute(trx);
}

/** Gives these devices these tags, and takes others from them. */
export async function writeTags(
  { trx }: ChangeTransaction,
  deviceNos: readonly number[],
  {
    addTagNos,
    removeTagNos,
  }: { readonly addTagNos: readonly number[]; readonly removeTagNos: readonly number[] },
): Promise<void> {
  if (addTagNos.length > 0)
    await sql`
      insert into device_tags (tag_no, device_no)
      select t.tag_no, d.device_no from tags t cross join unnest(${deviceNos}::int[]) as d (device_no)
      where t.tag_no = any(${addTagNos}::int[]) on conflict do nothing`.execute(trx);
  if (removeTagNos.length > 0)
    await sql`
      delete from device_tags where device_no = any(${deviceNos}::int[]) and tag_no = any(${removeTagNos}::int[])`.execute(
      trx,
    );
}

/** Has these devices checked from these Locations, and from no others. */
export async function writeLocations(
  { trx }: ChangeTransaction,
  deviceNos: readonly number[],
  locationNos: readonly number[],
): Promise<void> {
  await sql`delete from device_locations where device_no = any(${deviceNos}::int[])`.execute(trx);
  await sql`
    insert into device_locations (device_no, location_no, rotation_index)
    select d.device_no, g.location_no, g.position - 1 from unnest(${deviceNos}::int[]) as d (device_no)
    cross join unnest(${locationNos}::int[]) with ordinality as g (location_no, position)`.execute(trx);
}

/** The Locations that check these devices. */
export async function locationsOf(
  db: Kysely<Tables>,
  deviceNos: readonly number[],
): Promise<readonly number[]> {
  const { rows } = await sql<{ location_no: number }>`
    select distinct location_no from device_locations where device_no = any(${deviceNos}::int[])`.execute(db);
  return rows.map(({ location_no }) => location_no);
}

/** The shown status of these devices. */
export async function statusesOf(
  db: Kysely<Tables>,
  deviceNos: readonly number[],
  nowUs: number,
): Promise<ReadonlyMap<number, DeviceStatus>> {
  const shown = statusSql(nowUs);
  const { rows } = await sql<{ device_no: number; status: DeviceStatus }>`
    select d.device_no, ${shown.status} as status from devices d ${shown.joins}
    where d.device_no = any(${deviceNos}::int[])`.execute(db);
  return new Map(rows.map(({ device_no, status }) => [device_no, status]));
}

/**
 * Those of these devices that keep others from being deleted with them: a master of a device that is not among them,
 * and its masters.
 */
export async function keptMasters(
  db: Kysely<Tables>,
  deviceNos: readonly number[],
): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ device_no: number }>`
    with recursive kept as (
      select d.master_no as device_no from devices d
      where d.master_no = any(${deviceNos}::int[])
        and not exists (select from unnest(${deviceNos}::int[]) as g (device_no) where g.device_no = d.device_no)
      union select d.master_no from devices d join kept k on k.device_no = d.device_no where d.master_no is not null)
    select device_no from kept where device_no = any(${deviceNos}::int[])`.execute(db);
  return new Set(rows.map(({ device_no }) => device_no));
}

/** Deletes these devices; triggers keep and move what depends on them. */
export async function deleteDevices({ trx }: ChangeTransaction, deviceNos: readonly number[]): Promise<void> {
  await sql`delete from devices where device_no = any(${deviceNos}::int[])`.execute(trx);
}

/** Which of these devices are in maintenance now. */
export async function countInMaintenance(
  db: Kysely<Tables>,
  deviceNos: readonly number[],
  nowUs: number,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(distinct device_no)::int as count from maintenance_windows
    where device_no = any(${deviceNos}::int[]) and from_us <= ${nowUs}::bigint and to_us > ${nowUs}::bigint`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

/** The columns of these devices from which their host follows. */
export async function readTargets(
  db: Kysely<Tables>,
  deviceNos: readonly number[],
): Promise<readonly TargetRow[]> {
  return db
    .selectFrom('devices')
    .select(['device_no', 'device_id', 'method', 'url', 'options', 'sealed'])
    .where('device_no', 'in', deviceNos)
    .$castTo<TargetRow>()
    .execute();
}

interface TargetRow {
  readonly device_no: number;
  readonly device_id: string;
  readonly method: string;
  readonly url: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly sealed: Uint8Array;
}

/** Stores the warnings of these devices. */
export async function writeWarnings(
  { trx }: ChangeTransaction,
  rows: readonly { readonly device_no: number; readonly warnings: readonly string[] }[],
): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    update devices d set warnings = array(select jsonb_array_elements_text(g.warnings))
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as g (device_no int, warnings jsonb)
    where d.device_no = g.device_no`.execute(trx);
}

/** The ids of these devices. */
export async function idsOf(db: Kysely<Tables>, deviceNos: readonly number[]): Promise<readonly string[]> {
  if (deviceNos.length === 0) return [];
  const rows = await db
    .selectFrom('devices')
    .select('device_id')
    .where('device_no', 'in', deviceNos)
    .orderBy('device_no')
    .execute();
  return rows.map(({ device_id }) => device_id);
}
