/** A value of JSON. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** The part of a device that is encrypted in the database, because it may hold secrets. */
export interface SealedDevice {
  /** The URL with its login; for Method Script the text of the script. */
  readonly url: string;
  readonly options: { readonly [key: string]: Json };
}

/** The context that a device's sealed value opens in. */
export function deviceSealContext(deviceId: string): string {
  return `device:${deviceId}`;
}

/** The context that the sealed value of an account's secret opens in. */
export function secretSealContext(secretId: string): string {
  return `secret:${secretId}`;
}

/** The context that the sealed address and secrets of a contact open in. */
export function contactSealContext(contactId: string): string {
  return `contact:${contactId}`;
}

/**
 * The context that the sealed keys of a certificate authority open in; `fingerprint` is the SHA-256 of its certificate
 * in hex.
 */
export function authoritySealContext(fingerprint: string): string {
  return `authority:${fingerprint}`;
}
