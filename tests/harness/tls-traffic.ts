import { createDecipheriv, createHmac } from 'node:crypto';

/** A record of TLS (RFC 8446, section 5.1). */
interface TlsRecord {
  readonly type: number;
  readonly header: Buffer;
  readonly body: Buffer;
}

const handshake = 22;
const applicationData = 23;
const supportedVersions = 43;
const ciphers: Readonly<
  Record<
    number,
    { name: 'aes-128-gcm' | 'aes-256-gcm' | 'chacha20-poly1305'; hash: string; keyBytes: number }
  >
> = {
  4865: { name: 'aes-128-gcm', hash: 'sha256', keyBytes: 16 },
  4866: { name: 'aes-256-gcm', hash: 'sha384', keyBytes: 32 },
  4867: { name: 'chacha20-poly1305', hash: 'sha256', keyBytes: 32 },
};

/** The clear text of a recorded TLS connection. */
export interface Greeting {
  /** The client's random bytes, hex; the name of the connection in a key log. */
  readonly clientRandom: string;
  /** The version that the server chose: 0x0304 is TLS 1.3. */
  readonly version: number;
  readonly cipherSuite: number;
  /** The types of the records, each way. */
  readonly types: readonly number[];
}

/** Reads ClientHello and ServerHello of a recorded connection. Throws when it is no TLS. */
export function readGreeting(fromClient: Buffer, fromServer: Buffer): Greeting {
  const [client, server] = [recordsOf(fromClient), recordsOf(fromServer)];
  const [hello, answer] = [client[0], server[0]];
  if (hello?.type !== handshake || answer?.type !== handshake || answer.body[0] !== 2)
    throw new Error('this connection does not begin with a handshake of TLS');
  const { body } = answer;
  const afterSession = 39 + (body[38] ?? 0);
  return {
    clientRandom: hello.body.subarray(6, 38).toString('hex'),
    version: versionOf(body.subarray(afterSession + 3)) ?? body.readUInt16BE(4),
    cipherSuite: body.readUInt16BE(afterSession),
    types: [...client, ...server].map(({ type }) => type),
  };
}

/**
 * Whether a client got as far as its first encrypted record. One that gave up before has sent nothing but its
 * ClientHello.
 */
export function isEncrypted(fromClient: Buffer): boolean {
  return recordsOf(fromClient).some(({ type }) => type === applicationData);
}

/** The version in the extensions of a ServerHello; undefined: TLS 1.2 or earlier. */
function versionOf(extensions: Buffer): number | undefined {
  for (let at = 2; at + 4 <= extensions.length; at += 4 + extensions.readUInt16BE(at + 2))
    if (extensions.readUInt16BE(at) === supportedVersions) return extensions.readUInt16BE(at + 4);
  return undefined;
}

/**
 * The application data of one direction of a connection of TLS 1.3, opened with the secrets of a key log
 * (`--tls-keylog`). `side` is CLIENT or SERVER. Throws when a record cannot be opened.
 */
export function openTraffic(
  recorded: Buffer,
  {
    greeting,
    keyLog,
    side,
  }: { readonly greeting: Greeting; readonly keyLog: string; readonly side: 'CLIENT' | 'SERVER' },
): Buffer {
  const secretOf = (label: string) => {
    const found = new RegExp(`^${side}_${label} ${greeting.clientRandom} ([0-9a-f]+)$`, 'm').exec(
      keyLog,
    )?.[1];
    if (found === undefined) throw new Error('the key log does not have this connection');
    return Buffer.from(found, 'hex');
  };
  const openers = [secretOf('HANDSHAKE_TRAFFIC_SECRET'), secretOf('TRAFFIC_SECRET_0')].map((secret) =>
    opener(secret, greeting.cipherSuite),
  );
  const parts: Buffer[] = [];
  for (const record of recordsOf(recorded)) {
    if (record.type !== applicationData) continue;
    let opened = openers[0]?.(record);
    while (opened === undefined && openers.length > 1) {
      openers.shift();
      opened = openers[0]?.(record);
    }
    if (opened === undefined) throw new Error('a record cannot be opened');
    // The content ends with its type, and zeros after it (RFC 8446, section 5.2).
    let end = opened.length - 1;
    while (opened[end] === 0) end -= 1;
    if (opened[end] === applicationData) parts.push(opened.subarray(0, end));
  }
  return Buffer.concat(parts);
}

/** Opens the records of one secret, one after the other; undefined: the record is of another secret. */
function opener(secret: Buffer, cipherSuite: number): (record: TlsRecord) => Buffer | undefined {
  const cipher = ciphers[cipherSuite];
  if (cipher === undefined) throw new Error(`the cipher suite ${cipherSuite} is not known here`);
  const key = expand(secret, { hash: cipher.hash, label: 'key', bytes: cipher.keyBytes });
  const iv = expand(secret, { hash: cipher.hash, label: 'iv', bytes: 12 });
  let sequence = 0n;
  return ({ header, body }) => {
    const nonce = Buffer.from(iv);
    nonce.writeBigUInt64BE(nonce.readBigUInt64BE(4) ^ sequence, 4);
    // The types of Node name the cipher and the length of its tag together.
    const decipher = createDecipheriv(cipher.name as 'chacha20-poly1305', key, nonce, { authTagLength: 16 });
    decipher.setAAD(header, { plaintextLength: body.length - 16 });
    decipher.setAuthTag(body.subarray(-16));
    try {
      const opened = Buffer.concat([decipher.update(body.subarray(0, -16)), decipher.final()]);
      sequence += 1n;
      return opened;
    } catch {
      return undefined;
    }
  };
}

/** HKDF-Expand-Label (RFC 8446, section 7.1) for at most one block of the hash. */
function expand(
  secret: Buffer,
  { hash, label, bytes }: { readonly hash: string; readonly label: string; readonly bytes: number },
): Buffer {
  const name = Buffer.from(`tls13 ${label}`);
  const info = Buffer.concat([Buffer.from([0, bytes, name.length]), name, Buffer.from([0, 1])]);
  return createHmac(hash, secret).update(info).digest().subarray(0, bytes);
}

function recordsOf(bytes: Buffer): TlsRecord[] {
  const records: TlsRecord[] = [];
  for (let at = 0; at + 5 <= bytes.length; ) {
    const header = bytes.subarray(at, at + 5);
    const end = at + 5 + header.readUInt16BE(3);
    if (end > bytes.length) break; // the rest of this record was still on its way
    records.push({ type: header[0] ?? 0, header, body: bytes.subarray(at + 5, end) });
    at = end;
  }
  return records;
}
