import { isDeepStrictEqual } from 'node:util';
import { type AddressPolicy, type ContactType, contactTypeOf } from '@vantage/alerts';
import { cleanLine } from '@vantage/domain';
import { newId } from '@vantage/kernel';
import type { Contact } from '@vantage/storage/entities';
import type { Sealer } from '@vantage/storage/secrets/seal';
import { type ClearContact, openContact, sealContact } from '@vantage/storage/secrets/sealed-contact';
import { lockAccount } from '../../resources/account-lock.ts';
import type { ChangeTransaction } from '../../resources/change.ts';
import { keyConflict, resolveIdentity, showIdentity } from '../../resources/external-key.ts';
import {
  changedFields,
  createdFields,
  deletedFields,
  present,
  secretField,
} from '../../resources/field-changes.ts';
import { refuseBeyondLimit } from '../../resources/limited-kinds.ts';
import { nameConflict } from '../../resources/name-conflict.ts';
import {
  type Conflict,
  type Invalid,
  joinFaults,
  type Missing,
  type Refusal,
} from '../../resources/refusal.ts';
import type { SentFields } from '../../resources/resource-routes.ts';
import { readOptions, type SentContact } from './contact-fields.ts';
import { type ContactSettings, type CurrentContact, resolveContact } from './contact-settings.ts';
import { deleteContact, findContact, insertContact, updateContact, usersOfContact } from './contact-store.ts';

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

export function openOrLost(sealer: Sealer, { contactId, sealed }: Contact): ClearContact | undefined {
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
