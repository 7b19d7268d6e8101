import { isDeepStrictEqual } from 'node:util';
import { expiryDaysText, readExpiryDays } from '@vantage/domain';
import { type FieldFault, newId, zoneName } from '@vantage/kernel';
import { publish } from '@vantage/storage';
import { moveDefaultDevices } from '../../catalog/devices/default-devices-store.ts';
import { defaultLocations, findLocations } from '../../catalog/devices/referenced-locations.ts';
import { readNschedule } from '../../catalog/devices/referenced-schedules.ts';
import { lockAccount } from '../../resources/account-lock.ts';
import type { ChangeTransaction } from '../../resources/change.ts';
import { referenceFault } from '../../resources/external-key.ts';
import { changedFields, createdFields, type ShownFields } from '../../resources/field-changes.ts';
import type { Invalid } from '../../resources/refusal.ts';
import {
  type AccountChange,
  type AccountRow,
  insertAccount,
  isNameTaken,
  lockAccountNames,
  readAccount,
  updateAccount,
} from './account-store.ts';

/** The outcome of a request to create an account. */
type AccountCreation =
  | { readonly kind: 'created'; readonly accountNo: number; readonly accountId: string }
  | { readonly kind: 'unknown-timezone' }
  | { readonly kind: 'name-taken' };

/** Creates an account. `timezone` is an IANA name. */
export async function createAccount(
  transaction: ChangeTransaction,
  { name, timezone }: { readonly name: string; readonly timezone: string },
): Promise<AccountCreation> {
  const zone = zoneName(timezone);
  if (zone === undefined) return { kind: 'unknown-timezone' };
  await lockAccountNames(transaction.trx);
  if (await isNameTaken(transaction, name)) return { kind: 'name-taken' };
  const accountId = newId();
  const accountNo = await insertAccount(transaction, { accountId, name, timezone: zone });
  const fields = createdFields({ Name: name, Timezone: zone });
  transaction.record({ action: 'create', kind: 'account', accountNo, id: accountId, fields });
  return { kind: 'created', accountNo, accountId };
}

/** Settings of an account as they were sent: what is absent stays, null clears. */
interface SentAccount {
  readonly Timezone?: string | undefined;
  readonly DefaultLocations?: readonly string[] | null | undefined;
  readonly nschedule_id?: string | null | undefined;
  readonly ExpiryWarningDays?: readonly number[] | null | undefined;
}

/**
 * Changes an account. `faults` are those that the fields have by themselves; the refusal names them with the others.
 */
export async function changeAccount(
  transaction: ChangeTransaction,
  change: {
    readonly accountNo: number;
    readonly sent: SentAccount;
    readonly faults: readonly FieldFault[];
    readonly nowUs: number;
  },
): Promise<{ readonly kind: 'changed' } | Invalid> {
  const { trx } = transaction;
  const { accountNo, sent, nowUs } = change;
  await lockAccount(trx, accountNo);
  const row = await readAccount(trx, accountNo);
  const before = await defaultLocations(trx, accountNo);
  const nschedule = await readNschedule(trx, accountNo, {
    sent: sent.nschedule_id,
    stored: row.nschedule_no,
  });
  const faults = [...change.faults, ...nschedule.faults];
  const settings: AccountChange = {
    timezone: sent.Timezone ?? row.timezone,
    defaultLocationIds: await readLocations(trx, row, sent.DefaultLocations, faults),
    nscheduleNo: nschedule.no,
    expiryWarningDays: storedDays(sent.ExpiryWarningDays, row.expiry_warning_days),
  };
  if (faults.length > 0) return { kind: 'invalid', faults };
  const names = changedNames(row, settings);
  if (names.length === 0) return { kind: 'changed' };
  await updateAccount(transaction, accountNo, settings);
  const after = await defaultLocations(trx, accountNo);
  const next = await readAccount(trx, accountNo);
  const fields = changedFields(names, showSettings(row, before), showSettings(next, after));
  transaction.record({ action: 'update', kind: 'account', accountNo, id: row.account_id, fields });
  const numbers = after.map(({ location_no }) => location_no);
  if (numbers.join() !== before.map(({ location_no }) => location_no).join()) {
    const concerned = await moveDefaultDevices(transaction, accountNo, numbers, nowUs);
    await publish(trx, 'catalog', { location_nos: [...concerned] });
  }
  return { kind: 'changed' };
}

/** The days to store: those sent, null for none; the stored ones if nothing was sent. */
function storedDays(sent: readonly number[] | null | undefined, stored: string | null): string | null {
  if (sent === undefined) return stored;
  return sent === null ? null : expiryDaysText(sent);
}

/** The fields that differ from the stored row, by the names of the REST API. */
function changedNames(row: AccountRow, settings: AccountChange): string[] {
  const parts: readonly (readonly [field: string, changed: boolean])[] = [
    ['Timezone', row.timezone !== settings.timezone],
    ['DefaultLocations', !isDeepStrictEqual(row.default_location_ids, settings.defaultLocationIds)],
    ['nschedule_id', row.nschedule_no !== settings.nscheduleNo],
    ['ExpiryWarningDays', row.expiry_warning_days !== settings.expiryWarningDays],
  ];
  return parts.filter(([, isChanged]) => isChanged).map(([field]) => field);
}

/** The settings as the REST API shows them. */
function showSettings(row: AccountRow, locations: readonly { readonly name: string }[]): ShownFields {
  return {
    Timezone: row.timezone,
    DefaultLocations: row.default_location_ids && locations.map(({ name }) => name),
    nschedule_id: row.nschedule_id,
    ExpiryWarningDays: row.expiry_warning_days === null ? null : readExpiryDays(row.expiry_warning_days),
  };
}

/** The ids of the default Locations; null: the one named `local`. */
async function readLocations(
  trx: ChangeTransaction['trx'],
  { account_no: accountNo, default_location_ids: stored }: AccountRow,
  sent: readonly string[] | null | undefined,
  faults: FieldFault[],
): Promise<readonly string[] | null> {
  if (sent === undefined) return stored;
  if (sent === null) return null;
  const known = await findLocations(trx, accountNo, sent);
  const ids = sent.flatMap((text) => {
    const row =
      known.find(({ location_id }) => location_id === text) ?? known.find(({ name }) => name === text);
    if (row === undefined)
      faults.push(
        referenceFault('DefaultLocations', 'Location', 'names or ids of Locations of this account', text),
      );
    return row?.location_id ?? [];
  });
  return [...new Set(ids)];
}
