import { randomBytes } from 'node:crypto';
import { type ContactType, contactTypeOf, contactTypes, signingSecret } from '@vantage/alerts';
import { hourUs } from '@vantage/domain';
import type { Sealer } from '@vantage/storage/secrets/seal';
import { sealContact } from '@vantage/storage/secrets/sealed-contact';
import { lockAccount } from '../../resources/account-lock.ts';
import type { ChangeTransaction } from '../../resources/change.ts';
import { secretField } from '../../resources/field-changes.ts';
import type { Conflict, Missing } from '../../resources/refusal.ts';
import { findContact, updateContact } from './contact-store.ts';
import { openOrLost } from './contact-write.ts';

/** After a rotation the previous secret also signs for this long. */
const previousSecretUs = 24 * hourUs;

const rotatedBytes = 32;

/** Gives a contact a new random secret. The old one also signs for 24 hours. */
export async function rotateSecret(
  transaction: ChangeTransaction,
  sealer: Sealer,
  given: { readonly accountNo: number; readonly contactId: string; readonly nowUs: number },
): Promise<{ readonly kind: 'rotated'; readonly secret: string } | Conflict | Missing> {
  const { accountNo, contactId, nowUs } = given;
  await lockAccount(transaction.trx, accountNo);
  const contact = await findContact(transaction, accountNo, contactId);
  const type = contactTypeOf(contact?.type ?? '');
  if (contact === undefined || type === undefined) return { kind: 'missing', what: 'contact' };
  const rule = contactTypes[type].secret;
  if (rule === null || !rule.signs) return noRotation(type, rule !== null);
  const clear = openOrLost(sealer, contact);
  if (clear === undefined)
    return {
      kind: 'conflict',
      reason: 'conflict',
      message:
        'The Address and Secret of this contact were lost with the key that sealed them. Send both again with a PUT.',
    };
  const secret = signingSecret(randomBytes(rotatedBytes));
  const next = { address: clear.address, secret, previousSecret: clear.secret };
  await updateContact(transaction, contact, {
    sealed: sealContact(sealer, contactId, next),
    previousSecretUntilUs: nowUs + previousSecretUs,
  });
  const fields = [secretField('Secret', true)];
  transaction.record({ action: 'update', kind: 'contact', accountNo, id: contactId, fields });
  return { kind: 'rotated', secret };
}

function noRotation(type: ContactType, hasSecret: boolean): Conflict {
  const message = hasSecret
    ? `The Secret of contacts of Type ${type} comes from the receiver, so Vantage cannot make a new one. Send the new one with a PUT.`
    : `Contacts of Type ${type} have no Secret, so there is none to rotate.`;
  return { kind: 'conflict', reason: 'conflict', message };
}
