import { newId } from '@vantage/kernel';
import { isZoneName } from '../../http/zone.ts';
import type { CatalogTransaction } from '../change.ts';
import { insertAccount } from './store.ts';

/** What became of a request to create an account. */
export type AccountCreation =
  | { readonly kind: 'created'; readonly accountNo: number; readonly accountId: string }
  | { readonly kind: 'unknown-timezone' }
  | { readonly kind: 'name-taken' };

/** Creates an account. `timezone` is an IANA name. */
export async function createAccount(
  transaction: CatalogTransaction,
  { name, timezone }: { readonly name: string; readonly timezone: string },
): Promise<AccountCreation> {
  if (!isZoneName(timezone)) return { kind: 'unknown-timezone' };
  const accountId = newId();
  const accountNo = await insertAccount(transaction.kysely, { account_id: accountId, name, timezone });
  if (accountNo === undefined) return { kind: 'name-taken' };
  const fields = ['Name', 'Timezone'];
  transaction.record({ action: 'create', kind: 'account', accountNo, id: accountId, fields });
  return { kind: 'created', accountNo, accountId };
}
