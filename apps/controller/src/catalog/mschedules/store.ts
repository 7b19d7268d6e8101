import { sql } from 'kysely';
import { Mschedule } from '../../db/entities.ts';
import type { Db, Row } from '../../db/index.ts';
import type { ChangeTransaction } from '../change.ts';
import type { Identity } from '../external-key.ts';
import type { ResourcePage } from '../resource-routes.ts';

/** A maintenance schedule as answers show it. */
export type MscheduleRow = Pick<
  Row<'mschedules'>,
  | 'mschedule_id'
  | 'name'
  | 'timezone'
  | 'start_local'
  | 'duration_s'
  | 'recurrence'
  | 'end_on_first_ok'
  | 'external_key'
  | 'source'
  | 'created_at'
  | 'updated_at'
>;

/** The columns that the owner of a maintenance schedule sets. */
export interface MscheduleSettings extends Identity {
  readonly name: string;
  readonly timezone: string;
  readonly startLocal: string;
  readonly durationS: number;
  readonly recurrence: string | null;
  readonly endOnFirstOk: boolean;
}

/** A page of the account's maintenance schedules by name, and how many there are. */
export async function listMschedules(
  { kysely }: Pick<Db, 'kysely'>,
  accountNo: number,
  page: ResourcePage,
): Promise<{ readonly rows: readonly MscheduleRow[]; readonly total: number }> {
  const { id, externalKey, source } = page;
  let own = kysely.selectFrom('mschedules').where('account_no', '=', accountNo);
  if (id !== undefined) own = own.where('mschedule_id', '=', id);
  if (externalKey !== undefined) own = own.where('external_key', '=', externalKey);
  if (source !== undefined) own = own.where('source', '=', source);
  const [rows, { total }] = await Promise.all([
    own
      .select(['mschedule_id', 'name', 'timezone', 'start_local', 'duration_s', 'recurrence'])
      .select(['end_on_first_ok', 'external_key', 'source', 'created_at', 'updated_at'])
      .orderBy('name')
      .orderBy('mschedule_no')
      .limit(page.limit)
      .offset(page.offset)
      .execute(),
    own.select(sql<number>`count(*)::int`.as('total')).executeTakeFirstOrThrow(),
  ]);
  return { rows, total };
}

/** The account's schedule with this id, for a change. The caller holds the account's lock. */
export async function findMscheduleEntity(
  { em }: ChangeTransaction,
  accountNo: number,
  mscheduleId: string,
): Promise<Mschedule | undefined> {
  return (await em.findOne(Mschedule, { accountNo, mscheduleId })) ?? undefined;
}

/** Inserts a schedule; returns its number. */
export async function insertMschedule(
  { em }: ChangeTransaction,
  { id, ...schedule }: MscheduleSettings & { readonly accountNo: number; readonly id: string },
): Promise<number> {
  const made = em.create(Mschedule, { ...schedule, mscheduleId: id });
  await em.flush();
  return made.mscheduleNo;
}

/** Writes the settings of a schedule. */
export async function updateMschedule(
  { em }: ChangeTransaction,
  schedule: Mschedule,
  settings: MscheduleSettings,
): Promise<void> {
  em.assign(schedule, settings);
  await em.flush();
}

/** Deletes a schedule. */
export async function deleteMschedule({ em }: ChangeTransaction, mscheduleNo: number): Promise<void> {
  await em.nativeDelete(Mschedule, { mscheduleNo });
}

/** The devices that use a maintenance schedule, up to eleven. The caller holds the account's lock. */
export async function usersOfMschedule(
  { trx }: ChangeTransaction,
  accountNo: number,
  mscheduleNo: number,
): Promise<readonly string[]> {
  const rows = await trx
    .selectFrom('devices')
    .select(['short_name', 'device_id'])
    .where('account_no', '=', accountNo)
    .where('mschedule_no', '=', mscheduleNo)
    .orderBy('device_no')
    .limit(11)
    .execute();
  return rows.map(({ short_name, device_id }) => `device ${short_name} (${device_id})`);
}
