import { publish } from '@vantage/storage';
import type { Location } from '@vantage/storage/entities';
import { readAccount, updateAccount } from '../../access/accounts/account-store.ts';
import type { ChangeTransaction } from '../../resources/change.ts';
import { createdFields } from '../../resources/field-changes.ts';
import { moveDefaultDevices } from '../devices/default-devices-store.ts';
import { defaultLocations } from '../devices/referenced-locations.ts';

export async function moveDefaults(
  transaction: ChangeTransaction,
  accountNo: number,
  locationNos: readonly number[],
  nowUs: number,
): Promise<void> {
  const concerned = await moveDefaultDevices(transaction, accountNo, locationNos, nowUs);
  await publish(transaction.trx, 'catalog', { location_nos: [...concerned] });
}

/**
 * After a change of a Location's name: a default Location stays one, and one that is now named `local` may become one.
 */
export async function keepDefaults(
  transaction: ChangeTransaction,
  { accountNo, locationNo, locationId, name }: Location,
  { wasDefault, nowUs }: { readonly wasDefault: boolean; readonly nowUs: number },
): Promise<void> {
  const { trx } = transaction;
  const defaults = (await defaultLocations(trx, accountNo)).map(({ location_no }) => location_no);
  const isDefault = defaults.includes(locationNo);
  if (isDefault === wasDefault) return;
  if (isDefault) return moveDefaults(transaction, accountNo, defaults, nowUs);
  const { account_id: id, ...stored } = await readAccount(trx, accountNo);
  await updateAccount(transaction, accountNo, {
    timezone: stored.timezone,
    nscheduleNo: stored.nschedule_no,
    expiryWarningDays: stored.expiry_warning_days,
    defaultLocationIds: [locationId],
  });
  const fields = createdFields({ DefaultLocations: [name] });
  transaction.record({ action: 'update', kind: 'account', accountNo, id, fields });
}
