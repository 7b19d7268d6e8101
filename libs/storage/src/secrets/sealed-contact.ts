import { contactSealContext } from '@vantage/domain';
import { z } from 'zod';
import type { Sealer } from './seal.ts';

/** The content of the column `sealed` of a contact. */
const sealedContact = z.object({
  /** With its credentials. */
  address: z.string(),
  /** Signs messages; null for types that sign none. */
  secret: z.string().nullable(),
  /** Also signs, until the contact's `previous_secret_until_us`; null: none. */
  previousSecret: z.string().nullable(),
});

/** The address and secrets of a contact in plain text. */
export type ClearContact = Readonly<z.output<typeof sealedContact>>;

/** Seals the address and secrets of a contact. */
export function sealContact(sealer: Sealer, contactId: string, clear: ClearContact): Buffer {
  return sealer.seal({ ...clear }, contactSealContext(contactId));
}

/** Opens what `sealContact` sealed. Throws a Fault (`drop`) when the key is lost. */
export function openContact(sealer: Sealer, contactId: string, sealed: Uint8Array): ClearContact {
  return sealedContact.parse(sealer.open(sealed, contactSealContext(contactId)));
}
