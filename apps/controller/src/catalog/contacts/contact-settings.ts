import {
  type AddressPolicy,
  type ContactOptions,
  type ContactType,
  contactTypes,
  optionFaults,
} from '@vantage/alerts';
import { cleanLine } from '@vantage/domain';
import type { FieldFault } from '@vantage/kernel';
import type { ClearContact } from '@vantage/storage/secrets/sealed-contact';
import { resolveIdentity, type SourceIdentity } from '../../resources/external-key.ts';
import type { SentContact } from './contact-fields.ts';

/** A contact as it is stored; undefined for a new one. */
export interface CurrentContact extends SourceIdentity {
  readonly name: string;
  /** As the API shows it. */
  readonly address: string;
  readonly notify: readonly string[] | null;
  readonly options: ContactOptions | null;
  readonly shadow: boolean;
  /** undefined: its key is lost. */
  readonly clear: ClearContact | undefined;
}

/** The settings that a contact gets. */
export interface ContactSettings extends SourceIdentity {
  readonly name: string;
  readonly address: string;
  readonly notify: readonly string[] | null;
  readonly options: ContactOptions | null;
  readonly shadow: boolean;
  readonly clear: ClearContact;
}

/** Lays the sent settings over the current ones. Every fault is named. Pure. */
export function resolveContact(
  type: ContactType,
  sent: SentContact,
  current: CurrentContact | undefined,
  policy: AddressPolicy,
): { readonly settings: ContactSettings; readonly faults: readonly FieldFault[] } {
  const address = resolveAddress(type, sent.Address, current, policy);
  const secret = resolveSecret(type, sent.Secret, current, hasOtherReceiver(type, address, current));
  const { name = '', notify = null } = current ?? {};
  const options = sent.Options === undefined ? (current?.options ?? null) : sent.Options;
  // What GET shows of a stored name may be cleaned; sent back, it is the stored one.
  const isSameName = sent.Name === undefined || (current !== undefined && sent.Name === cleanLine(name));
  return {
    settings: {
      name: isSameName ? name : (sent.Name ?? name),
      address: contactTypes[type].show(address.value),
      notify: sent.Notify === undefined ? notify : sent.Notify && [...new Set(sent.Notify)],
      options,
      shadow: sent.Shadow ?? current?.shadow ?? false,
      ...resolveIdentity(sent, current),
      clear: { address: address.value, ...secret.value },
    },
    faults: [...address.faults, ...secret.faults, ...faultsOf(type, options)],
  };
}

function faultsOf(type: ContactType, options: ContactOptions | null): readonly FieldFault[] {
  return optionFaults(contactTypes[type].options, options).map(({ option, message }) => ({
    field: option === undefined ? 'Options' : `Options.${option}`,
    message,
  }));
}

function resolveAddress(
  type: ContactType,
  sent: string | undefined,
  current: CurrentContact | undefined,
  policy: AddressPolicy,
): { readonly value: string; readonly faults: readonly FieldFault[] } {
  const kept = current?.clear?.address;
  const text = sent ?? current?.address;
  if (text === undefined) return { value: '', faults: [] };
  const filled = contactTypes[type].fill(text, kept);
  if (filled === undefined) {
    const message =
      'holds the mask ***; send the credential itself (it is kept only while scheme, host, port and user stay)';
    return { value: text, faults: [{ field: 'Address', message }] };
  }
  // A kept address stays valid when the operator changes the rules; its messages are judged when they are sent.
  const fault = filled === kept ? null : contactTypes[type].addressFault(filled, policy);
  return { value: filled, faults: fault === null ? [] : [{ field: 'Address', message: fault }] };
}

/** Whether messages now go to another receiver than the one of the stored secret. */
function hasOtherReceiver(
  type: ContactType,
  { value, faults }: { readonly value: string; readonly faults: readonly FieldFault[] },
  current: CurrentContact | undefined,
): boolean {
  const kept = current?.clear?.address;
  if (kept === undefined || value === kept || faults.length > 0) return false;
  const { receiver } = contactTypes[type];
  return receiver(value) !== receiver(kept);
}

function resolveSecret(
  type: ContactType,
  sent: string | null | undefined,
  current: CurrentContact | undefined,
  isForOther: boolean,
): { readonly value: Omit<ClearContact, 'address'>; readonly faults: readonly FieldFault[] } {
  const none = { secret: null, previousSecret: null };
  const fault = (message: string) => ({ value: none, faults: [{ field: 'Secret', message }] });
  const rule = contactTypes[type].secret;
  if (rule === null)
    return sent === undefined || sent === null
      ? { value: none, faults: [] }
      : fault(`is not used by contacts of Type ${type}; leave it out`);
  const kept = current?.clear;
  if (typeof sent === 'string' && sent !== kept?.secret)
    return rule.accepts(sent)
      ? { value: { secret: sent, previousSecret: null }, faults: [] }
      : fault(`must be ${rule.hint}`);
  if (isForOther && sent === undefined && kept?.secret != null)
    return fault(
      `must be sent again, because Address has another scheme, host, port or user and the stored one was given for the one before${rule.isRequired ? '' : '; null removes it'}`,
    );
  if (isForOther && typeof sent === 'string')
    return { value: { secret: sent, previousSecret: null }, faults: [] };
  if (sent !== null && kept !== undefined)
    return { value: { secret: kept.secret, previousSecret: kept.previousSecret }, faults: [] };
  if (rule.isRequired && (sent === null || current === undefined))
    return fault(`is required for contacts of Type ${type}: ${rule.hint}`);
  if (sent === null || current === undefined) return { value: none, faults: [] };
  const orNone = rule.isRequired ? '' : ', or null if there is none';
  return fault(`was lost with the key that sealed it; send a new one${orNone}: ${rule.hint}`);
}
