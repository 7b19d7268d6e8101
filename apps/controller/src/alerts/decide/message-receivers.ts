import { type AlertKind, contactTypeOf, contactTypes, type MessageKind } from '@vantage/alerts';
import type { AlertContact } from './alert-contact-store.ts';
import type { DueAlert } from './due-store.ts';
import type { MessageContext } from './message-facts.ts';
import { readFacts } from './stored-alert-facts.ts';

/** The contacts that exist, belong to the account and accept messages of this kind. */
export function acceptedBy(
  {
    alert,
    contacts,
  }: Pick<MessageContext, 'contacts'> & { readonly alert: Pick<DueAlert, 'account_no' | 'kind' | 'opening'> },
  contactIds: readonly string[],
  kind: MessageKind,
): readonly AlertContact[] {
  return contactIds.flatMap((id) => {
    const contact = contacts.get(id);
    if (contact === undefined || contact.accountNo !== alert.account_no) return [];
    if (isAbout(contact, alert)) return [];
    const type = contactTypeOf(contact.type);
    if (kind === 'acknowledged') return hearsAcknowledgements(contact, type) ? [contact] : [];
    if (kind === 'closed') return type !== undefined && contactTypes[type].waitsForEnd ? [contact] : [];
    return wants(contact, kind) ? [contact] : [];
  });
}

/** Systems that keep incidents always get acknowledgements; chats do unless their `Notify` excludes them. */
function hearsAcknowledgements({ notify }: AlertContact, type: ReturnType<typeof contactTypeOf>): boolean {
  if (type === undefined) return false;
  const { keepsIncidents, isChat } = contactTypes[type];
  return keepsIncidents || (isChat && (notify === null || notify.includes('acknowledged')));
}

/** A contact gets no message about its own failure. */
function isAbout(
  { contactId }: AlertContact,
  { kind, opening }: Pick<DueAlert, 'kind' | 'opening'>,
): boolean {
  return kind === 'contact.failing' && readFacts(opening)['contact_id'] === contactId;
}

/** A contact that gets device.down gets device.flapping too, because that message replaces Down and Up. */
function wants({ notify }: AlertContact, kind: AlertKind): boolean {
  if (notify === null || notify.includes(kind)) return true;
  return kind === 'device.flapping' && notify.includes('device.down');
}
