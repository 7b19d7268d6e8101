import { sql } from 'kysely';
import type { ChangeTransaction } from '../../resources/change.ts';

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
