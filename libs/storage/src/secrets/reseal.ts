import { contactTypeOf, contactTypes } from '@vantage/alerts';
import {
  contactSealContext,
  deviceSealContext,
  mailPasswordContext,
  secretSealContext,
} from '@vantage/domain';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Tables } from '../schema/tables.ts';
import type { Sealer } from './seal.ts';
import { type ClearContact, sealContact } from './sealed-contact.ts';

/** A sealed value and its replacement. */
interface Replacement {
  readonly from: Uint8Array;
  readonly to: Uint8Array;
}

/** The sealed values of the catalog. A replacement has no effect on a value that was changed meanwhile. */
export interface SealedRows {
  /** The next devices by number, after `afterNo`. */
  devices(
    kysely: Kysely<Tables>,
    afterNo: number,
    limit: number,
  ): Promise<
    readonly {
      readonly device_no: number;
      readonly device_id: string;
      readonly method: string;
      readonly url: string;
      readonly options: unknown;
      readonly sealed: Uint8Array;
    }[]
  >;
  replaceDevice(kysely: Kysely<Tables>, deviceNo: number, replacement: Replacement): Promise<void>;
  /** Sets this warning of a device until its next change. */
  warnDevice(kysely: Kysely<Tables>, deviceNo: number, warning: string): Promise<void>;
  secrets(
    kysely: Kysely<Tables>,
  ): Promise<readonly { readonly secret_id: string; readonly sealed: Uint8Array }[]>;
  replaceSecret(kysely: Kysely<Tables>, secretId: string, replacement: Replacement): Promise<void>;
  contacts(kysely: Kysely<Tables>): Promise<
    readonly {
      readonly contact_id: string;
      readonly type: string;
      readonly address: string;
      readonly sealed: Uint8Array;
    }[]
  >;
  replaceContact(kysely: Kysely<Tables>, contactId: string, replacement: Replacement): Promise<void>;
  /** The password of the mail server. */
  mailPasswords(kysely: Kysely<Tables>): Promise<readonly { readonly sealed: Uint8Array }[]>;
  replaceMailPassword(kysely: Kysely<Tables>, replacement: Replacement): Promise<void>;
}

/** The sealed keys of the certificate authorities. */
export interface SealedAuthorities {
  authorities(
    kysely: Kysely<Tables>,
  ): Promise<
    readonly { readonly certificate: string; readonly sealed: Uint8Array; readonly context: string }[]
  >;
  replaceAuthority(kysely: Kysely<Tables>, certificate: string, replacement: Replacement): Promise<void>;
}

/** Numbers of sealed values. */
interface ResealCounts {
  readonly devices: number;
  readonly secrets: number;
  readonly contacts: number;
  readonly authorities: number;
  /** Settings of the installation. */
  readonly settings: number;
  /** Values that no key of the file opens. */
  readonly lost: number;
}

const devicesPerRead = 200;
/** Shown to the users of the device. */
const lostWarning =
  'Its secrets were lost with the key that sealed them: send URL and Options again, with the secrets.';

/**
 * Seals every device, secret, contact, authority and setting with the current key. A device or contact that no key
 * opens is sealed again from the values that the API shows, if these have no masked secrets. Else it stays as it is,
 * with a warning, until a client sends its secrets again. A value that is changed meanwhile is skipped: the change
 * sealed it with the current key.
 */
export async function reseal(
  kysely: Kysely<Tables>,
  sealer: Sealer,
  rows: SealedRows & SealedAuthorities,
): Promise<ResealCounts> {
  const devices = await resealDevices(kysely, sealer, rows);
  const secrets = await resealSecrets(kysely, sealer, rows);
  const contacts = await resealContacts(kysely, sealer, rows);
  const authorities = await resealAuthorities(kysely, sealer, rows);
  const settings = await resealMailPassword(kysely, sealer, rows);
  return {
    devices: devices.done,
    secrets: secrets.done,
    contacts: contacts.done,
    authorities: authorities.done,
    settings: settings.done,
    lost: devices.lost + secrets.lost + contacts.lost + authorities.lost + settings.lost,
  };
}

async function resealDevices(
  kysely: Kysely<Tables>,
  sealer: Sealer,
  rows: SealedRows,
): Promise<{ done: number; lost: number }> {
  const tally = { done: 0, lost: 0 };
  let after = 0;
  while (true) {
    const devices = await rows.devices(kysely, after, devicesPerRead);
    if (devices.length === 0) return tally;
    for (const row of devices) {
      after = row.device_no;
      const context = deviceSealContext(row.device_id);
      const shown = { url: row.url, options: row.options };
      const hides = row.method !== 'Script' && JSON.stringify(shown).includes('***');
      const clear = opened(sealer, row.sealed, context);
      if (clear !== undefined && sealer.isCurrent(row.sealed)) continue;
      const value = clear ?? (hides ? undefined : shown);
      if (value === undefined) {
        tally.lost += 1;
        await rows.warnDevice(kysely, row.device_no, lostWarning);
        continue;
      }
      tally.done += 1;
      const to = sealer.seal(json.parse(value), context);
      await rows.replaceDevice(kysely, row.device_no, { from: row.sealed, to });
    }
  }
}

async function resealSecrets(
  kysely: Kysely<Tables>,
  sealer: Sealer,
  rows: SealedRows,
): Promise<{ done: number; lost: number }> {
  const tally = { done: 0, lost: 0 };
  for (const row of await rows.secrets(kysely)) {
    const context = secretSealContext(row.secret_id);
    const value = opened(sealer, row.sealed, context);
    if (value === undefined) tally.lost += 1;
    if (value === undefined || sealer.isCurrent(row.sealed)) continue;
    tally.done += 1;
    const to = sealer.seal(json.parse(value), context);
    await rows.replaceSecret(kysely, row.secret_id, { from: row.sealed, to });
  }
  return tally;
}

async function resealContacts(
  kysely: Kysely<Tables>,
  sealer: Sealer,
  rows: SealedRows,
): Promise<{ done: number; lost: number }> {
  const tally = { done: 0, lost: 0 };
  for (const row of await rows.contacts(kysely)) {
    const clear = opened(sealer, row.sealed, contactSealContext(row.contact_id));
    if (clear !== undefined && sealer.isCurrent(row.sealed)) continue;
    const shown = clear === undefined ? shownContact(row) : undefined;
    if (clear === undefined && shown === undefined) {
      tally.lost += 1;
      continue;
    }
    tally.done += 1;
    const to =
      shown === undefined
        ? sealer.seal(json.parse(clear), contactSealContext(row.contact_id))
        : sealContact(sealer, row.contact_id, shown);
    await rows.replaceContact(kysely, row.contact_id, { from: row.sealed, to });
  }
  return tally;
}

async function resealAuthorities(
  kysely: Kysely<Tables>,
  sealer: Sealer,
  rows: SealedAuthorities,
): Promise<{ done: number; lost: number }> {
  const tally = { done: 0, lost: 0 };
  for (const { certificate, sealed, context } of await rows.authorities(kysely)) {
    const keys = opened(sealer, sealed, context);
    if (keys === undefined) tally.lost += 1;
    if (keys === undefined || sealer.isCurrent(sealed)) continue;
    tally.done += 1;
    await rows.replaceAuthority(kysely, certificate, {
      from: sealed,
      to: sealer.seal(json.parse(keys), context),
    });
  }
  return tally;
}

async function resealMailPassword(
  kysely: Kysely<Tables>,
  sealer: Sealer,
  rows: SealedRows,
): Promise<{ done: number; lost: number }> {
  const tally = { done: 0, lost: 0 };
  for (const { sealed } of await rows.mailPasswords(kysely)) {
    const value = opened(sealer, sealed, mailPasswordContext);
    if (value === undefined) tally.lost += 1;
    if (value === undefined || sealer.isCurrent(sealed)) continue;
    tally.done += 1;
    const to = sealer.seal(json.parse(value), mailPasswordContext);
    await rows.replaceMailPassword(kysely, { from: sealed, to });
  }
  return tally;
}

/** A contact as the API shows it, if it has no secrets. */
function shownContact(row: { readonly type: string; readonly address: string }): ClearContact | undefined {
  const type = contactTypeOf(row.type);
  if (type === undefined || !contactTypes[type].hidesNothing) return undefined;
  return { address: row.address, secret: null, previousSecret: null };
}

const json = z.json();

function opened(sealer: Sealer, sealed: Uint8Array, context: string): unknown {
  try {
    return sealer.open(sealed, context);
  } catch {
    return undefined;
  }
}
