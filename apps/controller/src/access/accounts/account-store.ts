import type { Tables } from '@vantage/storage';
import { Account } from '@vantage/storage/entities';
import { type Kysely, sql } from 'kysely';
import type { ChangeTransaction } from '../../resources/change.ts';

/** An account as its owner sees it. */
export interface AccountRow {
  readonly account_no: number;
  readonly account_id: string;
  readonly name: string;
  readonly timezone: string;
  readonly nschedule_id: string | null;
  readonly nschedule_no: number | null;
  readonly default_location_ids: readonly string[] | null;
  readonly expiry_warning_days: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** The settings of an account that its owner changes. */
export interface AccountChange {
  readonly timezone: string;
  readonly nscheduleNo: number | null;
  readonly defaultLocationIds: readonly string[] | null;
  readonly expiryWarningDays: string | null;
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
      'a.expiry_warning_days',
      'a.created_at',
      'a.updated_at',
    ])
    .where('a.account_no', '=', accountNo)
    .executeTakeFirstOrThrow();
}

/** Has an account this name? */
export async function isNameTaken({ em }: ChangeTransaction, name: string): Promise<boolean> {
  return (await em.findOne(Account, { name })) !== null;
}

/** Writes an account's settings. */
export async function updateAccount(
  { em }: ChangeTransaction,
  accountNo: number,
  { defaultLocationIds, ...settings }: AccountChange,
): Promise<void> {
  const account = await em.findOneOrFail(Account, accountNo);
  em.assign(account, { ...settings, defaultLocationIds: defaultLocationIds && [...defaultLocationIds] });
  await em.flush();
}

/** Inserts an account; returns its number. */
export async function insertAccount(
  { em }: ChangeTransaction,
  given: Pick<Account, 'accountId' | 'name' | 'timezone'>,
): Promise<number> {
  const account = em.create(Account, given);
  await em.flush();
  return account.accountNo;
}

/**
 * Keeps others from giving a name to an account until the transaction ends. Whoever also locks an account takes this
 * lock first.
 */
export async function lockAccountNames(trx: Kysely<Tables>): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('vantage account names'))`.execute(trx);
}

/** All accounts by name. */
export async function listAccounts(
  kysely: Kysely<Tables>,
): Promise<readonly { readonly account_id: string; readonly name: string; readonly timezone: string }[]> {
  return kysely.selectFrom('accounts').select(['account_id', 'name', 'timezone']).orderBy('name').execute();
}

/** The number of the account with this name or id. */
export async function findAccountNo(kysely: Kysely<Tables>, nameOrId: string): Promise<number | undefined> {
  const row = await kysely
    .selectFrom('accounts')
    .select('account_no')
    .where((where) => where.or([where('name', '=', nameOrId), where('account_id', '=', nameOrId)]))
    .executeTakeFirst();
  return row?.account_no;
}
