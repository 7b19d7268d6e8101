import type { Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';

/** The names among these that are no secrets of the account. */
export async function unknownSecrets(
  kysely: Kysely<Tables>,
  accountNo: number,
  names: readonly string[],
): Promise<readonly string[]> {
  if (names.length === 0) return [];
  const rows = await kysely
    .selectFrom('secrets')
    .select('name')
    .where('account_no', '=', accountNo)
    .where('name', 'in', names)
    .execute();
  return names.filter((name) => !rows.some((row) => row.name === name));
}
