import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

// The packets of RADIUS (RFC 2865, RFC 2869, RFC 5997).

const headBytes = 20;
const maxPacket = 4096;
const messageAuthenticator = 80;
const authenticatorBytes = 16;

export const radiusCode = {
  accessRequest: 1,
  accessAccept: 2,
  accessReject: 3,
  accountingResponse: 5,
  accessChallenge: 11,
  statusServer: 12,
} as const;

/** The name of a code of RFC 2865 and RFC 5997. */
export function radiusCodeName(code: number): string {
  const names: Readonly<Record<number, string>> = {
    2: 'Access-Accept',
    3: 'Access-Reject',
    5: 'Accounting-Response',
    11: 'Access-Challenge',
  };
  return names[code] ?? `code ${code}`;
}

export const radiusAttribute = {
  userName: 1,
  userPassword: 2,
  replyMessage: 18,
  calledStationId: 30,
  callingStationId: 31,
  nasIdentifier: 32,
} as const;

interface RadiusAttribute {
  readonly type: number;
  readonly value: Buffer;
}

/** A request, and what its answer is compared with. */
export interface RadiusRequest {
  readonly bytes: Buffer;
  readonly id: number;
  readonly authenticator: Buffer;
}

/**
 * A request. Its first attribute is the Message-Authenticator, so that no one on the way can make another request of it
 * (CVE-2024-3596). A Password is hidden by the Secret (RFC 2865 section 5.2).
 */
export function radiusRequest(
  code: number,
  secret: string,
  texts: readonly (readonly [type: number, text: string])[],
  password?: string,
): RadiusRequest {
  const authenticator = randomBytes(authenticatorBytes);
  const id = randomBytes(1).readUInt8();
  const attributes = texts.map(([type, text]) => attribute(type, Buffer.from(text, 'utf8')));
  if (password !== undefined)
    attributes.push(attribute(radiusAttribute.userPassword, hidePassword(password, secret, authenticator)));
  const bytes = packet(code, id, authenticator, [
    attribute(messageAuthenticator, Buffer.alloc(authenticatorBytes)),
    ...attributes,
  ]);
  hmac(secret, bytes).copy(bytes, headBytes + 2);
  return { bytes, id, authenticator };
}

/** A packet of these attributes. */
function packet(code: number, id: number, authenticator: Buffer, attributes: readonly Buffer[]): Buffer {
  const content = Buffer.concat(attributes);
  const head = Buffer.alloc(4);
  head.writeUInt8(code, 0);
  head.writeUInt8(id, 1);
  head.writeUInt16BE(headBytes + content.length, 2);
  return Buffer.concat([head, authenticator, content]);
}

function attribute(type: number, value: Buffer): Buffer {
  return Buffer.concat([Buffer.of(type, value.length + 2), value]);
}

/** Hides a password in blocks of 16 bytes. The same steps read it again: each block is hidden by the one before. */
export function hidePassword(password: string, secret: string, authenticator: Buffer): Buffer {
  const clear = Buffer.from(password, 'utf8');
  const padded = Buffer.alloc(Math.max(16, Math.ceil(clear.length / 16) * 16));
  clear.copy(padded);
  const hidden = Buffer.alloc(padded.length);
  let before = authenticator;
  for (let at = 0; at < padded.length; at += 16) {
    const pad = md5(Buffer.from(secret, 'utf8'), before);
    for (let index = 0; index < 16; index += 1)
      hidden[at + index] = (padded[at + index] ?? 0) ^ (pad[index] ?? 0);
    before = hidden.subarray(at, at + 16);
  }
  return hidden;
}

/** A server's answer. */
export interface RadiusAnswer {
  readonly code: number;
  readonly attributes: readonly RadiusAttribute[];
  /** Whether the answer has a Message-Authenticator, which is right then. */
  readonly isProtected: boolean;
}

/** `foreign`: no answer to this request. `unsigned`: its authenticators do not fit the Secret. */
export type RadiusReading =
  | { readonly kind: 'answer'; readonly answer: RadiusAnswer }
  | { readonly kind: 'foreign' | 'unsigned' };

/** Reads a datagram as the answer to a request, and verifies it. */
export function readRadiusAnswer(bytes: Buffer, request: RadiusRequest, secret: string): RadiusReading {
  if (bytes.length < headBytes || bytes.readUInt8(1) !== request.id) return { kind: 'foreign' };
  const length = bytes.readUInt16BE(2);
  if (length < headBytes || length > Math.min(maxPacket, bytes.length)) return { kind: 'foreign' };
  // Bytes after the length are padding (RFC 2865 section 3).
  const whole = bytes.subarray(0, length);
  const attributes = attributesOf(whole);
  if (attributes === undefined) return { kind: 'foreign' };
  const signed = Buffer.from(whole);
  request.authenticator.copy(signed, 4);
  const expected = md5(signed, Buffer.from(secret, 'utf8'));
  if (!timingSafeEqual(expected, whole.subarray(4, headBytes))) return { kind: 'unsigned' };
  const places = attributes.filter(({ type }) => type === messageAuthenticator);
  const [place] = places;
  if (place !== undefined) {
    if (places.length > 1 || place.value.length !== authenticatorBytes) return { kind: 'unsigned' };
    signed.fill(0, place.at, place.at + authenticatorBytes);
    if (!timingSafeEqual(hmac(secret, signed), place.value)) return { kind: 'unsigned' };
  }
  return {
    kind: 'answer',
    answer: { code: whole.readUInt8(0), attributes, isProtected: place !== undefined },
  };
}

/** The attributes with the offsets of their values; undefined: they are malformed. */
function attributesOf(bytes: Buffer): readonly (RadiusAttribute & { readonly at: number })[] | undefined {
  const attributes: (RadiusAttribute & { readonly at: number })[] = [];
  for (let at = headBytes; at < bytes.length; ) {
    const length = bytes[at + 1] ?? 0;
    if (length < 2 || at + length > bytes.length) return undefined;
    attributes.push({ type: bytes.readUInt8(at), value: bytes.subarray(at + 2, at + length), at: at + 2 });
    at += length;
  }
  return attributes;
}

function md5(...parts: readonly Buffer[]): Buffer {
  const hash = createHash('md5');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function hmac(secret: string, bytes: Buffer): Buffer {
  return createHmac('md5', Buffer.from(secret, 'utf8')).update(bytes).digest();
}
