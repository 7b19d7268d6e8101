import { expect, test } from 'vitest';
import { isSigningSecret, signingSecret } from './contact-secret.ts';

test('a signing secret is whsec_ and the base64 of 24 to 64 bytes', () => {
  for (const length of [24, 32, 64])
    expect(isSigningSecret(signingSecret(new Uint8Array(length)))).toBe(true);
  for (const length of [0, 23, 65])
    expect(isSigningSecret(signingSecret(new Uint8Array(length)))).toBe(false);
  for (const text of [
    '',
    'whsec_',
    'secret',
    signingSecret(new Uint8Array(32)).slice(0, -1),
    `${signingSecret(new Uint8Array(24))} `,
  ])
    expect(isSigningSecret(text)).toBe(false);
});
