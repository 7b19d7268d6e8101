import { createPrivateKey, createPublicKey, sign } from 'node:crypto';

/** The DER tags (X.690) of a request. */
const tags = {
  integer: 0x02,
  bitString: 0x03,
  utf8: 0x0c,
  sequence: 0x30,
  set: 0x31,
  attributes: 0xa0,
} as const;

/** commonName, 2.5.4.3. */
const commonName = Buffer.from('0603550403', 'hex');

/** ecdsa-with-SHA256, 1.2.840.10045.4.3.2 (RFC 5758, section 3.2). */
const ecdsaWithSha256 = Buffer.from('06082a8648ce3d040302', 'hex');

/**
 * A certificate signing request (PKCS#10, RFC 2986, section 4) for a P-256 key; both are PEM. The name in it is
 * ignored, because the controller chooses the name. The encoding is our own, because the library that the controller
 * reads it with takes 6 MiB of memory, which an agent would keep.
 */
export function makeSigningRequest(key: string): string {
  const privateKey = createPrivateKey(key);
  const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  const attribute = der('sequence', commonName, der('utf8', Buffer.from('vantage-agent')));
  const name = der('sequence', der('set', attribute));
  const info = der('sequence', der('integer', Buffer.of(0)), name, spki, der('attributes'));
  const signature = der('bitString', Buffer.of(0), sign('sha256', info, privateKey));
  const request = der('sequence', info, der('sequence', ecdsaWithSha256), signature);
  const lines = request.toString('base64').replaceAll(/.{64}(?=.)/g, '$&\n');
  return `-----BEGIN CERTIFICATE REQUEST-----\n${lines}\n-----END CERTIFICATE REQUEST-----\n`;
}

/**
 * A DER value: tag, length, content (X.690, section 8.1). The content has less than 256 bytes, which suffices for a
 * request with a P-256 key.
 */
function der(tag: keyof typeof tags, ...content: readonly Buffer[]): Buffer {
  const value = Buffer.concat(content);
  const { length } = value;
  const bytes = length < 0x80 ? [length] : [0x81, length];
  return Buffer.concat([Buffer.of(tags[tag], ...bytes), value]);
}
