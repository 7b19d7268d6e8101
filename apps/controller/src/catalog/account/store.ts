import { type Kysely, sql } from 'kysely';
import type { Db, Tables } from '../../db/index.ts';

/** An account as its owner sees it. */
export interface AccountRow {
  readonly account_no: number;
  readonly account_id: string;
  readonly name: string;
  readonly timezone: string;
  readonly nschedule_id: string | null;
  readonly nschedule_no: number | null;
  readonly default_location_ids: readonly string[] | null;
}

/** What may be changed of an account. */
export interface AccountChange {
  readonly name: string;
  readonly timezone: string;
  readonly nscheduleNo: number | null;
  readonly defaultLocationIds: readonly string[] | null;
}

/** Reads an account. */
export async function readAccount(db: Kysely<Tables>, accountNo: number): Promise<AccountRow> {
  return db
    .selectFrom('accounts as a')
    .leftJoin('nschedules as n', 'n.nschedule_no', 'a.nschedule_no')
    .select([
      'a.account_no',
      'a.account_id',
      'a.name',
      'a.timezone',
      'a.nschedule_no',
      'n.nschedule_id',
      'a.default_location_ids',
    ])
    .where('a.account_no', '=', accountNo)
    .executeTakeFirstOrThrow();
}

/** Is this name another account's? */
export async function isNameTaken(db: Kysely<Tables>, accountNo: number, name: string): Promise<boolean> {
  const row = await db
    .selectFrom('accounts')
    .select('account_no')
    .where('name', '=', name)
    .where('account_no', '<>', accountNo)
    .executeTakeFirst();
  return row !== undefined;
}

/** Writes an account's settings. */
export async function updateAccount(
  trx: Kysely<Tables>,
  accountNo: number,
  change: AccountChange,
): Promise<void> {
  await trx
    .updateTable('accounts')
    .set({
      name: change.name,
      timezone: change.timezone,
      nschedule_no: change.nscheduleNo,
      default_location_ids: change.defaultLocationIds === null ? null : [...change.defaultLocationIds],
    })
    .where('account_no', '=', accountNo)
    .execute();
}

/** Moves the devices that name no Locations to these, in order; they are checked anew. Returns all Locations it concerns. */
export async function moveDefaultDevices(
  trx: Db['kysely'],
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
