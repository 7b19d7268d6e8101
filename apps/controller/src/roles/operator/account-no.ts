import type { Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';
import { findAccountNo, listAccounts } from '../../access/accounts/account-store.ts';
import { noAccount } from '../../admin/command-fault.ts';

/** The number of the account with this name or id. Throws a Fault that lists the existing accounts. */
export async function accountNoOf(kysely: Kysely<Tables>, nameOrId: string): Promise<number> {
  const accountNo = await findAccountNo(kysely, nameOrId);
  if (accountNo !== undefined) return accountNo;
  throw noAccount(nameOrId, await listAccounts(kysely));
}

/** The number of the account that a list is limited to; undefined for all accounts. */
export async function filterOf(
  kysely: Kysely<Tables>,
  account: string | undefined,
): Promise<number | undefined> {
  return account === undefined ? undefined : accountNoOf(kysely, account);
}
