import type { FieldFault } from '@vantage/kernel';
import type { Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';
import { namedId, referenceFault } from '../../resources/external-key.ts';

/** The number of the account's notification schedule with this id. */
export async function findNschedule(
  db: Kysely<Tables>,
  accountNo: number,
  id: string,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('nschedules')
    .select('nschedule_no')
    .where('nschedule_id', '=', id)
    .where('account_no', '=', accountNo)
    .executeTakeFirst();
  return row?.nschedule_no;
}

/**
 * The number of the notification schedule that was sent for the account or a Location: undefined keeps the `stored`
 * one, null clears it. The caller holds the account's lock.
 */
export async function readNschedule(
  db: Kysely<Tables>,
  accountNo: number,
  { sent, stored }: { readonly sent: string | null | undefined; readonly stored: number | null },
): Promise<{ readonly no: number | null; readonly faults: readonly FieldFault[] }> {
  if (sent === undefined) return { no: stored, faults: [] };
  if (sent === null) return { no: null, faults: [] };
  const id = await namedId(db, 'nschedule', accountNo, sent);
  const no = id === undefined ? undefined : await findNschedule(db, accountNo, id);
  if (no !== undefined) return { no, faults: [] };
  const must = 'the id of a notification schedule of this account, or null';
  return { no: null, faults: [referenceFault('nschedule_id', 'notification schedule', must, sent)] };
}

/** The id of the notification schedule with this number. */
export async function nscheduleIdOf(db: Kysely<Tables>, no: number | null): Promise<string | null> {
  if (no === null) return null;
  const found = await db
    .selectFrom('nschedules')
    .select('nschedule_id')
    .where('nschedule_no', '=', no)
    .executeTakeFirst();
  return found?.nschedule_id ?? null;
}

/** The number of the account's maintenance schedule with this id. */
export async function findMschedule(
  db: Kysely<Tables>,
  accountNo: number,
  id: string,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('mschedules')
    .select('mschedule_no')
    .where('mschedule_id', '=', id)
    .where('account_no', '=', accountNo)
    .executeTakeFirst();
  return row?.mschedule_no;
}
