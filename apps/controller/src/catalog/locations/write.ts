import { newId } from '@vantage/kernel';
import { publish } from '../../db/index.ts';
import type { ChangeTransaction } from '../change.ts';
import { moveDefaultDevices } from '../devices/default-store.ts';
import { defaultLocations, lockAccount } from '../devices/lookup-store.ts';
import { createdFields } from '../field-change.ts';
import { insertLocation } from './store.ts';

/** The outcome of a request to create a Location. */
export type LocationCreation =
  | { readonly kind: 'created'; readonly locationNo: number; readonly locationId: string }
  | { readonly kind: 'name-taken' };

/**
 * Creates a Location. Where it becomes a default Location of the account (the one named `local` of an account that chose none), its
 * agents check from now on the devices that name no Locations.
 */
export async function createLocation(
  transaction: ChangeTransaction,
  given: { readonly accountNo: number; readonly name: string; readonly nowUs: number },
): Promise<LocationCreation> {
  const { trx } = transaction;
  const { accountNo, name, nowUs } = given;
  await lockAccount(trx, accountNo);
  const locationId = newId();
  const locationNo = await insertLocation(transaction, { locationId, accountNo, name });
  if (locationNo === undefined) return { kind: 'name-taken' };
  const fields = createdFields({ Name: name });
  transaction.record({ action: 'create', kind: 'location', accountNo, id: locationId, fields });
  const defaults = (await defaultLocations(trx, accountNo)).map(({ location_no }) => location_no);
  if (defaults.includes(locationNo)) {
    const concerned = await moveDefaultDevices(transaction, accountNo, defaults, nowUs);
    await publish(trx, 'catalog', { location_nos: [...concerned] });
  }
  return { kind: 'created', locationNo, locationId };
}
