import type { ChangeTransaction } from '../../resources/change.ts';
import type { Conflict, Invalid } from '../../resources/refusal.ts';
import { refuseGrant } from '../keys/grant-refusal.ts';
import type { UserRow } from './user-store.ts';

/**
 * The refusal of a level or of devices that the caller does not have. People have no end, so a key that expires cannot
 * invite or promote them.
 */
export async function refusePower(
  transaction: ChangeTransaction,
  { level, tagNos }: Pick<UserRow, 'level' | 'tagNos'>,
): Promise<Conflict | Invalid | undefined> {
  const refusal = await refuseGrant(transaction, { level, tagNos, expiresUs: null });
  if (refusal?.kind !== 'invalid') return refusal;
  const message =
    'The key of this request expires, so it cannot invite people or change their level, tags or e-mail address';
  const faults = refusal.faults.map((fault) => (fault.field === 'Expires' ? { field: '', message } : fault));
  return { kind: 'invalid', faults };
}

export function emailTaken(email: string): Conflict {
  return {
    kind: 'conflict',
    reason: 'email_taken',
    message: `There is a person with the e-mail address ${email} already.`,
    faults: [{ field: 'Email', message: 'is taken' }],
  };
}
