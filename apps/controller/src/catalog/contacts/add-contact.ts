import { randomBytes } from 'node:crypto';
import { type AddressPolicy, type ContactType, contactTypes, signingSecret } from '@vantage/alerts';
import type { Sealer } from '@vantage/storage/secrets/seal';
import type { ChangeTransaction } from '../../resources/change.ts';
import type { Refusal } from '../../resources/refusal.ts';
import { notifyEverybody } from '../schedules/everybody.ts';
import { createContactWriter } from './contact-write.ts';

/** A contact that was added, and what became of the account's schedule (`notifyEverybody`). */
export interface AddedContact {
  readonly kind: 'made' | 'added' | 'own-schedule';
  readonly contactId: string;
  readonly type: ContactType;
  /** As the API shows it. */
  readonly address: string;
  /** Made for a webhook; null for others. */
  readonly secret: string | null;
}

/**
 * Creates a contact of an address alone, with a secret where its type signs, and adds it to the schedule "Everybody".
 */
export async function addContact(
  transaction: ChangeTransaction,
  { sealer, policy }: { readonly sealer: Sealer; readonly policy: AddressPolicy },
  given: {
    readonly accountNo: number;
    readonly address: string;
    readonly name: string | undefined;
    readonly nowUs: number;
  },
): Promise<AddedContact | Refusal> {
  const { accountNo, address, nowUs } = given;
  const type: ContactType = /^https?:/i.test(address) ? 'webhook' : 'email';
  const shown = contactTypes[type].show(address);
  const secret = contactTypes[type].secret?.signs === true ? signingSecret(randomBytes(32)) : null;
  const values = {
    Name: given.name ?? shown.slice(0, 200),
    Type: type,
    Address: address,
    ...(secret === null ? {} : { Secret: secret }),
  };
  const writer = createContactWriter({ sealer, policy });
  const made = await writer.create(transaction, { accountNo, sent: { values, faults: [] } });
  if (made.kind !== 'created') return made;
  const outcome = await notifyEverybody(transaction, { accountNo, contactId: made.id, nowUs });
  switch (outcome.kind) {
    case 'made':
    case 'added':
    case 'own-schedule':
      return { kind: outcome.kind, contactId: made.id, type, address: shown, secret };
    default:
      return outcome;
  }
}
