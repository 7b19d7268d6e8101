import type { Json } from './json.ts';

/** The part of a device that is encrypted in the database, because it may contain secrets. */
export interface SealedDevice {
  /** The URL with its login; for Method Script the text of the script. */
  readonly url: string;
  readonly options: { readonly [key: string]: Json };
}

/** The context in which a device's sealed value opens. */
export function deviceSealContext(deviceId: string): string {
  return `device:${deviceId}`;
}

/** The context in which the sealed value of an account's secret opens. */
export function secretSealContext(secretId: string): string {
  return `secret:${secretId}`;
}

/** The context in which the sealed address and secrets of a contact open. */
export function contactSealContext(contactId: string): string {
  return `contact:${contactId}`;
}

/** The context in which the sealed password of the mail server opens. */
export const mailPasswordContext = 'installation:mail-password';

/**
 * The context in which the sealed keys of a certificate authority open; `fingerprint` is the SHA-256 of its certificate
 * in hex.
 */
export function authoritySealContext(fingerprint: string): string {
  return `authority:${fingerprint}`;
}
