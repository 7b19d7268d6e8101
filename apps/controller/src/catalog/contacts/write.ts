import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  type AddressPolicy,
  type ContactType,
  contactTypeOf,
  contactTypes,
  signingSecret,
} from '@vantage/alerts';
import { cleanLine, hourUs } from '@vantage/domain';
import { newId } from '@vantage/kernel';
import type { Contact } from '../../platform/db/entities.ts';
import type { Sealer } from '../../platform/secrets/seal.ts';
import { type ClearContact, openContact, sealContact } from '../../platform/secrets/sealed-contact.ts';
import {
  type ChangeTransaction,
  changedFields,
  createdFields,
  deletedFields,
  lockAccount,
  present,
  secretField,
} from '../change.ts';
import { keyConflict, resolveIdentity, showIdentity } from '../external-key.ts';
import {
  type Conflict,
  type Invalid,
  joinFaults,
  type Missing,
  nameConflict,
  type Refusal,
  refuseBeyondLimit,
} from '../refusal.ts';
import type { SentFields } from '../resource-routes.ts';
import { readOptions, type SentContact } from './fields.ts';
import { type ContactSettings, type CurrentContact, resolveContact } from './settings.ts';
import { deleteContact, findContact, insertContact, updateContact, usersOfContact } from './store.ts';

/** The secret before a rotation also signs for so long. */
const previousSecretUs = 24 * hourUs;
const rotatedBytes = 32;

/** Dependencies of the writers of contacts. */
interface ContactWriteDeps {
  readonly sealer: Sealer;
  readonly policy: AddressPolicy;
}

/** Creates, changes and deletes contacts in an open transaction. A refusal names every fault. */
export function createContactWriter(deps: ContactWriteDeps) {
  return {
    create: (
      transaction: ChangeTransaction,
      given: { readonly accountNo: number; readonly sent: SentFields<SentContact & { Type?: ContactType }> },
    ) => createContact(transaction, deps, given),
    /** Absent fields keep their value. A new Secret signs at once, the old one no longer. */
    change: (
      transaction: ChangeTransaction,
      given: { readonly accountNo: number; readonly id: string; readonly sent: SentFields<SentContact> },
    ) => changeContact(transaction, deps, given),
    /** Refused while a schedule or a monthly report names the contact. */
    remove: removeContact,
  };
}

async function createContact(
  transaction: ChangeTransaction,
  { sealer, policy }: ContactWriteDeps,
  given: { readonly accountNo: number; readonly sent: SentFields<SentContact & { Type?: ContactType }> },
): Promise<{ readonly kind: 'created'; readonly id: string } | Conflict | Invalid> {
  const { accountNo, sent } = given;
  const type = sent.values.Type;
  if (type === undefined) return { kind: 'invalid', faults: sent.faults };
  const { settings, faults } = resolveContact(type, sent.values, undefined, policy);
  const all = joinFaults(sent.faults, faults);
  if (all.length > 0) return { kind: 'invalid', faults: all };
  await lockAccount(transaction.trx, accountNo);
  const refusal = await refuseBeyondLimit(transaction, 'contacts', accountNo);
  if (refusal !== undefined) return refusal;
  const taken =
    (await keyConflict(transaction.trx, keyed(accountNo), settings.externalKey, undefined)) ??
    (await nameConflict(transaction.trx, keyed(accountNo), settings.name, undefined));
  if (taken !== undefined) return taken;
  const contactId = newId();
  await insertContact(transaction, { contactId, accountNo, type, ...columns(sealer, contactId, settings) });
  const shown = { Type: type, ...shownSettings(settings) };
  const fields = [
    ...createdFields(present(shown)),
    ...(settings.clear.secret !== null ? [secretField('Secret', false)] : []),
  ];
  transaction.record({ action: 'create', kind: 'contact', accountNo, id: contactId, fields });
  return { kind: 'created', id: contactId };
}

async function changeContact(
  transaction: ChangeTransaction,
  { sealer, policy }: ContactWriteDeps,
  change: { readonly accountNo: number; readonly id: string; readonly sent: SentFields<SentContact> },
): Promise<{ readonly kind: 'changed' } | Refusal> {
  const { accountNo, id: contactId, sent } = change;
  await lockAccount(transaction.trx, accountNo);
  const contact = await findContact(transaction, accountNo, contactId);
  const type = contactTypeOf(contact?.type ?? '');
  if (contact === undefined || type === undefined) return { kind: 'missing', what: 'contact' };
  if (sent.values.Type !== undefined && sent.values.Type !== type) return typeConflict(type);
  const current = currentOf(contact, openOrLost(sealer, contact));
  const { settings, faults } = resolveContact(type, sent.values, current, policy);
  const all = joinFaults(sent.faults, faults);
  if (all.length > 0) return { kind: 'invalid', faults: all };
  const { contactNo } = contact;
  const taken =
    (await keyConflict(transaction.trx, keyed(accountNo), settings.externalKey, contactNo)) ??
    (settings.name === current.name
      ? undefined
      : await nameConflict(transaction.trx, keyed(accountNo), settings.name, contactNo));
  if (taken !== undefined) return taken;
  const isNewSecret = settings.clear.secret !== current.clear?.secret;
  const names = changedNames(current, settings);
  if (names.length === 0 && !isNewSecret) return { kind: 'changed' };
  const fields = [
    ...changedFields(names, shownSettings(current), shownSettings(settings)),
    ...(isNewSecret ? [secretField('Secret', true)] : []),
  ];
  await updateContact(transaction, contact, {
    ...columns(sealer, contactId, settings),
    ...(isNewSecret ? { previousSecretUntilUs: null } : {}),
  });
  transaction.record({ action: 'update', kind: 'contact', accountNo, id: contactId, fields });
  return { kind: 'changed' };
}

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

async function removeContact(
  transaction: ChangeTransaction,
  { accountNo, id: contactId }: { readonly accountNo: number; readonly id: string },
): Promise<{ readonly kind: 'deleted' } | Conflict | Missing> {
  await lockAccount(transaction.trx, accountNo);
  const contact = await findContact(transaction, accountNo, contactId);
  if (contact === undefined) return { kind: 'missing', what: 'contact' };
  const users = await usersOfContact(transaction.trx, contact);
  if (users.length > 0) return { kind: 'conflict', reason: 'in_use', message: usedText(contact.name, users) };
  await deleteContact(transaction, contact.contactNo);
  const fields = deletedFields({
    Name: cleanLine(contact.name),
    Type: contact.type,
    Address: contact.address,
  });
  transaction.record({ action: 'delete', kind: 'contact', accountNo, id: contactId, fields });
  return { kind: 'deleted' };
}

const keyed = (accountNo: number) => ({ kind: 'contact', what: 'contact', accountNo }) as const;

function usedText(
  name: string,
  users: readonly { readonly kind: string; readonly name: string; readonly id: string }[],
): string {
  const shown = users.slice(0, 10).map((one) => `${one.kind} ${cleanLine(one.name)} (${one.id})`);
  const more = users.length > shown.length ? ' and others' : '';
  return `Contact ${cleanLine(name)} cannot be deleted while these name it: ${shown.join(', ')}${more}.`;
}

function typeConflict(type: ContactType): Conflict {
  return {
    kind: 'conflict',
    reason: 'fixed_field',
    message: `Type cannot be changed: this contact's is ${type}. Create another contact, and delete this one.`,
    faults: [{ field: 'Type', message: 'cannot be changed' }],
  };
}

function openOrLost(sealer: Sealer, { contactId, sealed }: Contact): ClearContact | undefined {
  try {
    return openContact(sealer, contactId, sealed);
  } catch {
    return undefined;
  }
}

function currentOf(contact: Contact, clear: ClearContact | undefined): CurrentContact {
  const { name, address, notify = null, options, shadow } = contact;
  const identity = resolveIdentity({}, contact);
  return { name, address, notify, options: readOptions(options ?? null), shadow, ...identity, clear };
}

function columns(sealer: Sealer, contactId: string, settings: ContactSettings) {
  const { name, address, externalKey, source, options, shadow, clear } = settings;
  const notify = settings.notify && [...settings.notify];
  return {
    name,
    address,
    externalKey,
    source,
    notify,
    options,
    shadow,
    sealed: sealContact(sealer, contactId, clear),
  };
}

/** The settings as the API shows them. */
function shownSettings(settings: Omit<ContactSettings, 'clear'>) {
  const { name, address, options, notify, shadow } = settings;
  const Options = options === null ? null : { ...options };
  return {
    Name: cleanLine(name),
    Address: address,
    Options,
    Notify: notify,
    Shadow: shadow,
    ...showIdentity(settings),
  };
}

function changedNames(current: CurrentContact, settings: ContactSettings): string[] {
  const parts: readonly (readonly [field: string, changed: boolean])[] = [
    ['Name', current.name !== settings.name],
    ['Address', current.clear?.address !== settings.clear.address],
    ['Options', !isDeepStrictEqual(current.options, settings.options)],
    ['Shadow', current.shadow !== settings.shadow],
    ['Notify', !isDeepStrictEqual(current.notify, settings.notify)],
    ['ExternalKey', current.externalKey !== settings.externalKey],
    ['Source', current.source !== settings.source],
  ];
  return parts.filter(([, isChanged]) => isChanged).map(([field]) => field);
}
