import { cleanLine } from '@vantage/domain';
import { readAccount } from '../../access/accounts/account-store.ts';
import { lockAccount } from '../../resources/account-lock.ts';
import type { ChangeTransaction } from '../../resources/change.ts';
import { deletedFields } from '../../resources/field-changes.ts';
import type { Conflict, Missing } from '../../resources/refusal.ts';
import { findLocation, setLocationDeleted, usersOfLocation } from './location-store.ts';

/** Deletes an unused Location. History keeps showing its name. */
export async function removeLocation(
  transaction: ChangeTransaction,
  { accountNo, locationId }: { readonly accountNo: number; readonly locationId: string },
): Promise<{ readonly kind: 'deleted' } | Conflict | Missing> {
  const { trx } = transaction;
  await lockAccount(trx, accountNo);
  const location = await findLocation(transaction, accountNo, locationId);
  if (location === undefined) return { kind: 'missing', what: 'Location' };
  const { devices, agents, count } = await usersOfLocation(transaction, location);
  const { default_location_ids: defaults } = await readAccount(trx, accountNo);
  const isDefault = defaults?.includes(locationId) === true;
  if (count > 0 || isDefault) {
    const others = count - devices.length - agents.length;
    const users = [
      ...devices.map((text) => `device ${text}`),
      ...agents.map((text) => `agent ${cleanLine(text)}`),
      ...(isDefault ? ["the account's DefaultLocations"] : []),
      ...(others > 0 ? [`${others} more`] : []),
    ];
    const message = `Location ${cleanLine(location.name)} cannot be deleted while these name it: ${users.join(', ')}.`;
    return { kind: 'conflict', reason: 'in_use', message };
  }
  await setLocationDeleted(transaction, location);
  const fields = deletedFields({ Name: cleanLine(location.name) });
  transaction.record({ action: 'delete', kind: 'location', accountNo, id: locationId, fields });
  return { kind: 'deleted' };
}
