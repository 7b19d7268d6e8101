import type { AccountLimits, LimitedKind } from '@vantage/domain';
import { type FieldFault, faultSentence, type RefusalReason } from '@vantage/kernel';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Tables } from '../platform/db/index.ts';
import { conflict, invalid, missing, type Problem, type Thing } from '../rest/http/problem.ts';
import { type ChangeTransaction, lockAccount } from './change.ts';

/** Fields have values that the catalog does not accept. */
export interface Invalid {
  readonly kind: 'invalid';
  readonly faults: readonly FieldFault[];
}

/** The change contradicts the present state. */
export interface Conflict {
  readonly kind: 'conflict';
  readonly reason: RefusalReason;
  readonly message: string;
  readonly faults?: readonly FieldFault[];
}

/** The thing that is to be changed does not exist (any more). */
export interface Missing {
  readonly kind: 'missing';
  readonly what: Thing;
}

/** Why a writer changed nothing. */
export type Refusal = Invalid | Conflict | Missing;

/** Returns the outcome of a writer that did its work. Throws a Problem for a refusal. */
export function accepted<Done extends { readonly kind: string }>(outcome: Done | Refusal): Done {
  if (isRefusal(outcome)) throw problemOf(outcome);
  return outcome;
}

function isRefusal(outcome: { readonly kind: string }): outcome is Refusal {
  return ['invalid', 'conflict', 'missing'].includes(outcome.kind);
}

function problemOf(refusal: Refusal): Problem {
  switch (refusal.kind) {
    case 'invalid':
      return invalid(refusal.faults);
    case 'conflict':
      return conflict(refusal.reason, refusal.message, refusal.faults);
    case 'missing':
      return missing(refusal.what);
  }
}

/** Why a writer refused, for the operator: one line for each fault. */
export function refusalText(refusal: Refusal): string {
  switch (refusal.kind) {
    case 'invalid':
      return refusal.faults.map(faultSentence).join('\n');
    case 'conflict':
      return refusal.message;
    case 'missing':
      return `there is no such ${refusal.what}`;
  }
}

/** The faults that fields have by themselves, then those that were found later in other fields. */
export function joinFaults(own: readonly FieldFault[], later: readonly FieldFault[]): readonly FieldFault[] {
  const named = new Set(own.map(({ field }) => field));
  return [...own, ...later.filter(({ field }) => !named.has(field))];
}

/**
 * The refusal of a name that another thing of this kind has, as people read it: letter case, composition and characters
 * without width do not count. `ownNo` is the thing that gets the name. Names that were stored before this rule may
 * still be twice. The caller holds the account's lock.
 */
export async function nameConflict(
  trx: Kysely<Tables>,
  { kind, what, accountNo }: { readonly kind: NamedKind; readonly what: string; readonly accountNo: number },
  name: string,
  ownNo: number | undefined,
): Promise<Conflict | undefined> {
  const holder = (await findByName(trx, kind, accountNo, name)).find(({ no }) => no !== ownNo);
  if (holder === undefined) return undefined;
  const message = `There is already a ${what} ${JSON.stringify(holder.name)} (${holder.id}). Names are not case-sensitive.`;
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

/** Things that are gone leave their names; so do agents that never connected, because an invitation may be repeated. */
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

/** The account's things of this kind with this name, as `vantage_name_key` compares them; two at most. */
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

/** How many things of each kind an account has, and how many it may have. */
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
 * The refusal of one more thing of this kind; undefined: there is room. Near the limit it locks the account, so that
 * creations at the same moment never exceed it together. The operator's commands have no limit. `waiting` things are
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
  if ((await count()) < most - sideBySide) return undefined;
  await lockAccount(trx, accountNo);
  return (await count()) < most ? undefined : limitReached(kindTexts[kind], most);
}

/** The refusal of one more of a kind of which an account has as many as it may have. */
function limitReached(kinds: string, most: number): Invalid {
  const message = `The account has ${most} ${kinds}, which is the limit. Delete one that nobody needs`;
  return { kind: 'invalid', faults: [{ field: '', message, reason: 'limit_reached' }] };
}

/** So many creations of one account at most run side by side; nearer to the limit they run one after the other. */
const sideBySide = 100;

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
