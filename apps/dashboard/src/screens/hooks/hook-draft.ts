import type { Schemas } from '@vantage/client';
import type { EventType } from '../../model/event-types.ts';

export type Hook = Schemas['Hook'];

/** The texts of the form of a hook. */
export interface HookDraft {
  readonly name: string;
  readonly address: string;
  /** Empty: the stored one stays. */
  readonly secret: string;
  /** undefined: all. */
  readonly types: readonly EventType[] | undefined;
  readonly tag: string;
}

export function hookDraft(hook: Hook | undefined): HookDraft {
  return {
    name: hook?.Name ?? '',
    address: hook?.Address ?? '',
    secret: '',
    types: hook?.Events ?? undefined,
    tag: hook?.Tag?.Name ?? '',
  };
}

/** The body that stores a draft. The API never returns a secret, so an empty one is not sent. */
export function hookBody({ name, address, secret, types, tag }: HookDraft) {
  return {
    Name: name.trim(),
    Address: address.trim(),
    ...(secret.trim() === '' ? {} : { Secret: secret.trim() }),
    Events: types === undefined ? null : [...types],
    Tag: tag.trim() === '' ? null : tag.trim(),
  };
}

/** A new signing secret of 32 random bytes. */
export function newSecret(random: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array): string {
  return `whsec_${btoa(String.fromCharCode(...random(new Uint8Array(32))))}`;
}
