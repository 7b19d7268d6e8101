import { Buffer } from 'node:buffer';

const prefix = 'whsec_';
const [least, most] = [24, 64];
const form = /^whsec_[A-Za-z0-9+/]+={0,2}$/;

/** How to make a secret, for people. */
export const signingSecretHint =
  'whsec_ and the base64 of 24 to 64 random bytes; make one with: echo "whsec_$(openssl rand -base64 32)"';

/** A signing secret as Standard Webhooks writes it. `bytes` are random, 24 to 64 of them. */
export function signingSecret(bytes: Uint8Array): string {
  return prefix + Buffer.from(bytes).toString('base64');
}

/**
 * Whether a text is a signing secret: `whsec_` and the base64 of 24 to 64 bytes (Standard Webhooks, section "Signature
 * scheme").
 */
export function isSigningSecret(text: string): boolean {
  if (!form.test(text)) return false;
  const bytes = Buffer.from(text.slice(prefix.length), 'base64');
  return bytes.length >= least && bytes.length <= most && signingSecret(bytes) === text;
}
