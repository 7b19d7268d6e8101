import type { Schemas } from '@vantage/client';
import type { Contact } from '../../store/plan.ts';

/** The fields that contacts of a Type have. */
export type TypeRules = Schemas['ContactType'];
export type OptionName = TypeRules['Options'][number]['Name'];
export type Kind = NonNullable<Contact['Notify']>[number];

/** A contact as its form shows it; '' and [] are not set. */
export interface ContactDraft {
  readonly name: string;
  readonly type: Contact['Type'];
  readonly address: string;
  /** '' keeps the stored one. */
  readonly secret: string;
  readonly options: Readonly<Record<OptionName, string>>;
  readonly notify: readonly Kind[];
  readonly isShadow: boolean;
}

const noOptions = { To: '', Body: '', ContentType: '', SecretHeader: '' };

/** The form of a contact that does not exist yet. */
export function newDraft(): ContactDraft {
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

/** The form of a contact as it is stored. */
export function draftOf({ Name, Type, Address, Options, Notify, Shadow }: Contact): ContactDraft {
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

/** The body that stores a draft; the options are those that its Type knows. */
export function bodyOf(draft: ContactDraft, rules: TypeRules | undefined) {
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
  // The API judges the options.
  return body as typeof body & { readonly Options: Schemas['ContactOptions'] };
}

/** A new secret of the form that webhooks need (Standard Webhooks): `whsec_` and the base64 of 32 random bytes. */
export function makeSecret(bytes: Uint8Array): string {
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}
