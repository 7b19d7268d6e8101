import { sql } from 'kysely';
import type { ChangeTransaction } from '../../resources/change.ts';
import { plain } from './candidate-store.ts';
import type { JudgedDevice } from './judge-devices.ts';

/** Writes the settings of these devices in one statement; triggers move what depends on them. */
export async function writeSettings(
  { trx }: ChangeTransaction,
  changed: readonly JudgedDevice[],
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

/** Deletes these devices; triggers keep and move what depends on them. */
export async function deleteDevices({ trx }: ChangeTransaction, deviceNos: readonly number[]): Promise<void> {
  await sql`delete from devices where device_no = any(${deviceNos}::int[])`.execute(trx);
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
