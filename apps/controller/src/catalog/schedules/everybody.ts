import { readAccount } from '../../access/accounts/account-store.ts';
import { changeAccount } from '../../access/accounts/account-write.ts';
import { lockAccount } from '../../resources/account-lock.ts';
import type { ChangeTransaction } from '../../resources/change.ts';
import type { Refusal } from '../../resources/refusal.ts';
import { findNschedule } from './schedule-store.ts';
import { nscheduleWriter } from './schedule-write.ts';

/** The name of the schedule that the operator's first contact makes. */
export const everybody = 'Everybody';

/**
 * Adds a contact to the account's schedule "Everybody", which notifies all its contacts at once. An account without a
 * schedule gets this one. An account that has chosen another schedule keeps it as it is: `own-schedule`.
 */
export async function notifyEverybody(
  transaction: ChangeTransaction,
  given: { readonly accountNo: number; readonly contactId: string; readonly nowUs: number },
): Promise<{ readonly kind: 'made' | 'added' | 'own-schedule' } | Refusal> {
  const { accountNo, contactId, nowUs } = given;
  await lockAccount(transaction.trx, accountNo);
  const { nschedule_id: id } = await readAccount(transaction.trx, accountNo);
  if (id === null) return makeEverybody(transaction, { accountNo, contactId, nowUs });
  const schedule = await findNschedule(transaction, accountNo, id);
  if (schedule?.name !== everybody) return { kind: 'own-schedule' };
  const [first = { DelayMinutes: 0, Contacts: [] }, ...others] = schedule.steps;
  const Steps = [{ ...first, Contacts: [...first.Contacts, contactId] }, ...others];
  const changed = await nscheduleWriter.change(transaction, {
    accountNo,
    id,
    sent: { values: { Steps }, faults: [] },
  });
  return changed.kind === 'changed' ? { kind: 'added' } : changed;
}

async function makeEverybody(
  transaction: ChangeTransaction,
  { accountNo, contactId, nowUs }: { accountNo: number; contactId: string; nowUs: number },
): Promise<{ readonly kind: 'made' } | Refusal> {
  const values = { Name: everybody, Steps: [{ DelayMinutes: 0, Contacts: [contactId] }] };
  const made = await nscheduleWriter.create(transaction, { accountNo, sent: { values, faults: [] } });
  if (made.kind !== 'created') return made;
  const sent = { nschedule_id: made.id };
  const changed = await changeAccount(transaction, { accountNo, sent, faults: [], nowUs });
  return changed.kind === 'changed' ? { kind: 'made' } : changed;
}
