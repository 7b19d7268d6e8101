import type { Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';
import type { TagRow } from './device-store.ts';

/** Are these the same tags, in any order? */
export function sameTags(a: readonly TagRow[], b: readonly TagRow[]): boolean {
  return a.length === b.length && b.every(({ tag_no }) => a.some((each) => each.tag_no === tag_no));
}

/** The account's tags with these ids or names. */
export async function findTags(
  db: Kysely<Tables>,
  accountNo: number,
  texts: readonly string[],
): Promise<readonly TagRow[]> {
  if (texts.length === 0) return [];
  return db
    .selectFrom('tags')
    .select(['tag_no', 'tag_id', 'name'])
    .where('account_no', '=', accountNo)
    .where((where) => where.or([where('tag_id', 'in', texts), where('name', 'in', texts)]))
    .orderBy('tag_no')
    .execute();
}
