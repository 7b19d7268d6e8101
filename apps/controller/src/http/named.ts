import type { Db } from '../db/index.ts';
import { missing } from './problem.ts';

/** The numbers of the account's tags with this name or id. Throws a Problem (1003) where there is none. */
export async function readTagNos(
  { kysely }: Pick<Db, 'kysely'>,
  accountNo: number,
  text: string,
): Promise<readonly number[]> {
  const rows = await kysely
    .selectFrom('tags')
    .select('tag_no')
    .where('account_no', '=', accountNo)
    .where((where) => where.or([where('name', '=', text), where('tag_id', '=', text)]))
    .execute();
  if (rows.length === 0) throw missing('tag');
  return rows.map(({ tag_no }) => tag_no);
}

/** The numbers of the account's Locations with this name or id. Throws a Problem (1003) where there is none. */
export async function readLocationNos(
  { kysely }: Pick<Db, 'kysely'>,
  accountNo: number,
  text: string,
): Promise<readonly number[]> {
  const rows = await kysely
    .selectFrom('locations')
    .select('location_no')
    .where('account_no', '=', accountNo)
    .where((where) => where.or([where('name', '=', text), where('location_id', '=', text)]))
    .execute();
  if (rows.length === 0) throw missing('Location');
  return rows.map(({ location_no }) => location_no);
}
