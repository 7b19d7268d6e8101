import type { FieldFault } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../platform/db/index.ts';
import { locationLoad } from '../../platform/db/location-load.ts';
import { namedId, referenceFault } from '../external-key.ts';
import type { LocationRow, TagRow } from './store.ts';

const locationColumns = ['location_no', 'location_id', 'name', 'public_targets_only'] as const;

/** The account's Locations with these ids or names. None of them is deleted until the transaction ends. */
export async function findLocations(
  db: Kysely<Tables>,
  accountNo: number,
  texts: readonly string[],
): Promise<readonly LocationRow[]> {
  if (texts.length === 0) return [];
  return db
    .selectFrom('locations')
    .select(locationColumns)
    .where('account_no', '=', accountNo)
    .where('deleted_at', 'is', null)
    .where((where) => where.or([where('location_id', 'in', texts), where('name', 'in', texts)]))
    .forKeyShare()
    .execute();
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

/** The Locations of devices that name none: the account's choice, at first the one named `local`. */
export async function defaultLocations(
  db: Kysely<Tables>,
  accountNo: number,
): Promise<readonly LocationRow[]> {
  const { rows } = await sql<LocationRow>`
    select l.location_no, l.location_id, l.name, l.public_targets_only
    from locations l join accounts a on a.account_no = l.account_no
    where l.account_no = ${accountNo} and l.deleted_at is null
      and case when a.default_location_ids is null then l.name = 'local' else l.location_id = any(a.default_location_ids) end
    order by array_position(a.default_location_ids, l.location_id)
    for key share of l`.execute(db);
  return rows;
}

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
  return { no: null, faults: [referenceFault('nschedule_id', must, sent)] };
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

/** How much of an account a transaction has locked: `shared` keeps others from changing things that are there. */
type AccountLock = 'shared' | 'whole';

/** The accounts that open transactions have locked, so that no transaction asks twice. */
const locked = new WeakMap<Kysely<Tables>, Map<number, AccountLock>>();

/** The keys whose accounts open transactions have locked as a whole. */
const lockedKeys = new WeakMap<Kysely<Tables>, Set<number>>();

/**
 * A transaction with a shared lock needs the whole one. Two of them would wait for each other, so it is begun again.
 */
export class NeedsWholeLock extends Error {
  override readonly name = 'NeedsWholeLock';
}

/** Locks the account until the transaction ends. Every change of the catalog gets this lock first. */
export async function lockAccount(trx: Kysely<Tables>, accountNo: number): Promise<void> {
  const held = locked.get(trx)?.get(accountNo);
  if (held === 'whole') return;
  if (held === 'shared') throw new NeedsWholeLock();
  await sql`select 1 from accounts where account_no = ${accountNo} for no key update`.execute(trx);
  noteLock(trx, accountNo, 'whole');
}

/**
 * Locks the account of a key, like `lockAccount`. `shared`: others may hold such a lock at the same time, but nobody
 * the whole one.
 */
export async function lockAccountOfKey(trx: Kysely<Tables>, keyNo: number, lock: AccountLock): Promise<void> {
  const mode = lock === 'shared' ? sql`for share` : sql`for no key update`;
  if (lockedKeys.get(trx)?.has(keyNo) === true) return;
  const { rows } = await sql<{ account_no: number }>`
    select account_no from accounts where account_no = (select account_no from api_keys where key_no = ${keyNo})
    ${mode}`.execute(trx);
  for (const { account_no } of rows) noteLock(trx, account_no, lock);
  if (trx.isTransaction && lock === 'whole')
    lockedKeys.set(trx, (lockedKeys.get(trx) ?? new Set()).add(keyNo));
}

function noteLock(trx: Kysely<Tables>, accountNo: number, lock: AccountLock): void {
  if (trx.isTransaction) locked.set(trx, (locked.get(trx) ?? new Map()).set(accountNo, lock));
}

/**
 * Is `deviceNo` among the masters of `masterNo`, or the same device? Masters count that a limited caller does not see.
 */
export async function createsCycle(
  trx: Kysely<Tables>,
  deviceNo: number,
  masterNo: number,
): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select ${deviceNo}::int in (select device_no from masters_of(${masterNo}::int)) as found`.execute(trx);
  return rows[0]?.found ?? false;
}

/** Names of the Locations of which more is asked than they can do, `addPerMinute` at each on top. Pure. */
export function overloadedNames(
  loads: readonly LocationLoad[],
  addPerMinute: (locationNo: number) => number,
): readonly string[] {
  return loads
    .filter(({ location_no, asked, possible }) => asked + addPerMinute(location_no) > possible)
    .map(({ name }) => name);
}

/** Checks a minute that the devices of a Location ask for, and that its connected agents can run. */
export interface LocationLoad {
  readonly location_no: number;
  readonly name: string;
  readonly asked: number;
  readonly possible: number;
}

/** The load of these Locations; those without a connected agent are left out. */
export async function loadsOf(
  db: Kysely<Tables>,
  locationNos: readonly number[],
): Promise<readonly LocationLoad[]> {
  if (locationNos.length === 0) return [];
  // A parameter for each number: PostgreSQL keeps the plan then. For an array it plans this query anew each time, which
  // costs more than the query.
  const { rows } = await sql<LocationLoad>`
    select l.location_no, l.name, asked.per_minute as asked, have.per_minute::float8 as possible from locations l
    cross join lateral (
      select coalesce(sum(capacity), 0) as per_minute, count(*) as agents from agents a
      where a.location_no = l.location_no and a.state = 'Connected') have
    cross join lateral (${locationLoad}) asked
    where l.location_no in (${sql.join(locationNos)}) and have.agents > 0
    order by l.location_no`.execute(db);
  return rows;
}
