import type { Schemas } from '@vantage/client';
import type { NotificationContact } from '../../store/notification-schedules.ts';

/** The fields of contacts of a Type. */
export type ContactTypeFields = Schemas['ContactType'];
export type ContactOptionName = ContactTypeFields['Options'][number]['Name'];
export type ContactMessageKind = NonNullable<NotificationContact['Notify']>[number];

/** The form of a contact; '' and [] are not set. */
export interface ContactDraft {
  readonly name: string;
  readonly type: NotificationContact['Type'];
  readonly address: string;
  /** '' keeps the stored secret. */
  readonly secret: string;
  readonly options: Readonly<Record<ContactOptionName, string>>;
  readonly notify: readonly ContactMessageKind[];
  readonly isShadow: boolean;
}

const noOptions = { To: '', Body: '', ContentType: '', SecretHeader: '' };

/** The form of a new contact. */
export function newContactDraft(): ContactDraft {
  return {
    name: '',
    type: 'email',
    address: '',
    secret: '',
    options: noOptions,
    notify: [],
    isShadow: false,
  };
}

/** The form of a stored contact. */
export function contactDraft({
  Name,
  Type,
  Address,
  Options,
  Notify,
  Shadow,
}: NotificationContact): ContactDraft {
  return {
    name: Name,
    type: Type,
    address: Address,
    secret: '',
    options: { ...noOptions, ...Options },
    notify: Notify ?? [],
    isShadow: Shadow,
  };
}

/** The body that stores a draft, with the options of its Type. */
export function contactBody(draft: ContactDraft, rules: ContactTypeFields | undefined) {
  const known = (rules?.Options ?? []).map(({ Name }) => Name);
  const set = known.flatMap((name) => {
    const value = draft.options[name];
    return value === '' ? [] : [[name, value] as const];
  });
  const body = {
    Name: draft.name.trim(),
    Address: draft.address.trim(),
    ...(draft.secret === '' || rules?.Secret === null ? {} : { Secret: draft.secret }),
    Options: known.length === 0 || set.length === 0 ? null : Object.fromEntries(set),
    Notify: draft.notify.length === 0 ? null : [...draft.notify],
    Shadow: draft.isShadow,
  };
  // The API validates the options.
  return body as typeof body & { readonly Options: Schemas['ContactOptions'] };
}

/** A secret in the format for webhooks (Standard Webhooks): `whsec_` and the base64 of 32 random bytes. */
export function makeSecret(bytes: Uint8Array): string {
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}
