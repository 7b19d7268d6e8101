import type { AccountLimits, LimitedKind } from '@vantage/domain';
import type { Tables } from '@vantage/storage';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { lockAccount } from './account-lock.ts';
import type { ChangeTransaction } from './change.ts';
import type { Invalid } from './refusal.ts';

/** Kinds of things of which an account has a limited number. */
export const limitedKinds = [
  'devices',
  'tags',
  'locations',
  'agents',
  'secrets',
  'contacts',
  'nschedules',
  'mschedules',
  'keys',
  'users',
  'hooks',
  'pages',
  'reports',
] as const satisfies readonly LimitedKind[];

/** The number of things of each kind in an account, and their maximum. */
export async function readLimits(
  db: Kysely<Tables>,
  accountNo: number,
  limits: AccountLimits,
): Promise<readonly { readonly kind: LimitedKind; readonly used: number; readonly most: number }[]> {
  const kinds = limitedKinds.map((kind) => ({ kind, most: limits[kind] }));
  const parts = kinds.map(({ kind }) => sql`(select count from (${counts[kind](accountNo)}) as counted)`);
  const { rows } = await sql<{ readonly used: readonly number[] }>`
    select array[${sql.join(parts)}]::int[] as used`.execute(db);
  return kinds.map(({ kind, most }, at) => ({ kind, most, used: rows[0]?.used[at] ?? 0 }));
}

/**
 * The refusal of one more thing of this kind; undefined: the limit is not reached. Near the limit it locks the account,
 * so concurrent creations never exceed it together. The operator's commands have no limit. `waiting` things are
 * created, but not written yet.
 */
export async function refuseBeyondLimit(
  { trx, actor, limits }: Pick<ChangeTransaction, 'actor' | 'limits'> & { readonly trx: Kysely<Tables> },
  kind: LimitedKind,
  accountNo: number,
  waiting = 0,
): Promise<Invalid | undefined> {
  if (actor.kind === 'command-line') return undefined;
  const most = limits[kind];
  const count = async () => {
    const { rows } = await counts[kind](accountNo).execute(trx);
    return (rows[0]?.count ?? 0) + waiting;
  };
  if ((await count()) < most - maxConcurrent) return undefined;
  await lockAccount(trx, accountNo);
  return (await count()) < most ? undefined : limitReached(kindTexts[kind], most);
}

function limitReached(kinds: string, most: number): Invalid {
  const message = `The account has ${most} ${kinds}, which is the limit. Delete one that is no longer needed`;
  return { kind: 'invalid', faults: [{ field: '', message, reason: 'limit_reached' }] };
}

/** At most this many creations of one account run concurrently. Closer to the limit they run one after the other. */
const maxConcurrent = 100;

/** The kinds in the texts of refusals. */
const kindTexts: Readonly<Record<LimitedKind, string>> = {
  devices: 'devices',
  tags: 'tags',
  locations: 'Locations',
  agents: 'agents',
  secrets: 'secrets',
  contacts: 'contacts',
  nschedules: 'notification schedules',
  mschedules: 'maintenance schedules',
  keys: 'keys',
  users: 'users',
  hooks: 'hooks',
  pages: 'status pages',
  reports: 'monthly reports',
};

const counts: Readonly<Record<LimitedKind, (accountNo: number) => RawBuilder<{ readonly count: number }>>> = {
  devices: (no) => sql`select count_account_devices(${no}::int)::int as count`,
  tags: (no) => sql`select count(*)::int as count from tags where account_no = ${no}`,
  locations: (no) =>
    sql`select count(*)::int as count from locations where account_no = ${no} and deleted_at is null`,
  agents: (no) =>
    sql`select count(*)::int as count from agents where account_no = ${no} and removed_at is null`,
  secrets: (no) => sql`select count(*)::int as count from secrets where account_no = ${no}`,
  contacts: (no) => sql`select count(*)::int as count from contacts where account_no = ${no}`,
  nschedules: (no) => sql`select count(*)::int as count from nschedules where account_no = ${no}`,
  mschedules: (no) => sql`select count(*)::int as count from mschedules where account_no = ${no}`,
  keys: (no) =>
    sql`select count(*)::int as count from api_keys where account_no = ${no} and hint <> '' and revoked_at is null`,
  users: (no) => sql`select count(*)::int as count from users where account_no = ${no}`,
  hooks: (no) => sql`select count(*)::int as count from hooks where account_no = ${no}`,
  pages: (no) => sql`select count(*)::int as count from pages where account_no = ${no}`,
  reports: (no) => sql`select count(*)::int as count from reports where account_no = ${no}`,
};
