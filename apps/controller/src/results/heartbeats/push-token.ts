import { randomBytes } from 'node:crypto';
import { hashCredential } from '@vantage/storage/secrets/credential';
import { pushPath } from './push-routes.ts';

/** A token of a Push device: 128 random bits. Only its hash is stored. */
export function newPushToken(): { readonly token: string; readonly tokenHash: Buffer } {
  const token = randomBytes(16).toString('hex');
  return { token, tokenHash: hashCredential(token) };
}

/** The address that a job calls. */
export function pushUrl(baseUrl: string, token: string): string {
  return `${baseUrl.replace(/\/+$/, '')}${pushPath}${token}`;
}
