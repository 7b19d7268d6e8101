import type { Kysely } from 'kysely';
import { noAccount } from '../../admin/fault.ts';
import { findAccountNo, listAccounts } from '../../catalog/accounts/store.ts';
import type { Tables } from '../../platform/db/index.ts';

/** The number of the account with this name or id; throws a Fault that names the accounts there are. */
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
