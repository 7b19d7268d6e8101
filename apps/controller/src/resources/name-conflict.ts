import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import type { Conflict } from './refusal.ts';

/**
 * The refusal of a name that another thing of this kind has. Letter case, Unicode composition and characters without
 * width do not count. `ownNo` is the thing that gets the name. Older installations may have duplicate names. The caller
 * has locked the account.
 */
export async function nameConflict(
  trx: Kysely<Tables>,
  { kind, what, accountNo }: { readonly kind: NamedKind; readonly what: string; readonly accountNo: number },
  name: string,
  ownNo: number | undefined,
): Promise<Conflict | undefined> {
  const other = (await findByName(trx, kind, accountNo, name)).find(({ no }) => no !== ownNo);
  if (other === undefined) return undefined;
  const message = `There is already a ${what} ${JSON.stringify(other.name)} (${other.id}). Names are not case-sensitive.`;
  return {
    kind: 'conflict',
    reason: 'name_taken',
    message,
    faults: [{ field: 'Name', message, reason: 'name_taken' }],
  };
}

/** Kinds of things whose names are unique in an account. */
type NamedKind =
  | 'agent'
  | 'contact'
  | 'hook'
  | 'location'
  | 'mschedule'
  | 'nschedule'
  | 'page'
  | 'report'
  | 'secret'
  | 'tag';

/** Deleted things free their names. So do agents that never connected, because an invitation may be repeated. */
const namesInUse = {
  agent: sql`removed_at is null and state in ('Connected', 'Away')`,
  location: sql`deleted_at is null`,
  contact: sql`true`,
  hook: sql`true`,
  page: sql`true`,
  report: sql`true`,
  mschedule: sql`true`,
  nschedule: sql`true`,
  secret: sql`true`,
  tag: sql`true`,
} as const;

/** The account's things of this kind with this name, as `vantage_name_key` compares them; at most two. */
async function findByName(
  db: Kysely<Tables>,
  kind: NamedKind,
  accountNo: number,
  name: string,
): Promise<readonly { readonly no: number | string; readonly id: string; readonly name: string }[]> {
  // A secret has no number.
  const [no, id] = [sql.ref(kind === 'secret' ? 'secret_id' : `${kind}_no`), sql.ref(`${kind}_id`)];
  const { rows } = await sql<{ no: number | string; id: string; name: string }>`
    select ${no} as no, ${id} as id, name from ${sql.table(`${kind}s`)}
    where account_no = ${accountNo} and vantage_name_key(name) = vantage_name_key(${name}) and ${namesInUse[kind]}
    limit 2`.execute(db);
  return rows;
}
