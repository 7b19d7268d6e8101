// The parts of MySQL's client/server protocol (4.1 and later) that a check uses.

/** The greeting of a server (Protocol::HandshakeV10). */
export interface ServerGreeting {
  /** `8.0.36`, `5.5.5-10.11.6-MariaDB-0+deb12u1` */
  readonly version: string;
  readonly capabilities: number;
  /** 20 random bytes for the login. */
  readonly nonce: Buffer;
  /** The suggested login method. */
  readonly plugin: string;
}

/** An ERR packet. */
export interface ServerError {
  readonly code: number;
  readonly message: string;
}

/** The end of a login or query. */
export type MysqlAnswer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: ServerError };

/** The capability flags in use. CLIENT_LOCAL_FILES is never set. */
export const capability = {
  longPassword: 0x1,
  longFlag: 0x4,
  connectWithDb: 0x8,
  protocol41: 0x200,
  ssl: 0x800,
  transactions: 0x2000,
  secureConnection: 0x8000,
  pluginAuth: 0x80000,
} as const;

const utf8mb4 = 45;
const maxPacketBytes = 0xffffff;
const nonceBytes = 20;

/** A payload with its header. */
export function packetOf(sequence: number, payload: Uint8Array): Buffer {
  const header = Buffer.alloc(4);
  header.writeUIntLE(payload.length, 0, 3);
  header[3] = sequence & 0xff;
  return Buffer.concat([header, payload]);
}

/** Reads a greeting of protocol 10 with the 4.1 extensions; undefined for any other. */
export function readGreetingPacket(payload: Buffer): ServerGreeting | undefined {
  const versionEnd = payload.indexOf(0, 1);
  const rest = payload.subarray(versionEnd + 1);
  if (payload[0] !== 10 || versionEnd < 2 || rest.length < 31) return undefined;
  const capabilities = (rest.readUInt16LE(13) | (rest.readUInt16LE(18) << 16)) >>> 0;
  if ((capabilities & capability.protocol41) === 0) return undefined;
  const secondLength = Math.max(13, rest.readUInt8(20) - 8);
  const second = rest.subarray(31, 31 + secondLength);
  const plugin = rest.subarray(31 + secondLength);
  const pluginEnd = plugin.indexOf(0);
  return {
    version: payload.toString('latin1', 1, versionEnd),
    capabilities,
    nonce: Buffer.concat([rest.subarray(4, 12), second]).subarray(0, nonceBytes),
    plugin:
      plugin.toString('latin1', 0, pluginEnd < 0 ? plugin.length : pluginEnd) || 'mysql_native_password',
  };
}

/** The flags in the answer to a greeting. */
export function clientFlags(features: { readonly tls: boolean; readonly database: boolean }): number {
  const { longPassword, longFlag, protocol41, transactions, secureConnection, pluginAuth } = capability;
  const always = longPassword | longFlag | protocol41 | transactions | secureConnection | pluginAuth;
  return always | (features.tls ? capability.ssl : 0) | (features.database ? capability.connectWithDb : 0);
}

/** The request for TLS: the head of a login, sent in clear. */
export function tlsRequest(flags: number): Buffer {
  const head = Buffer.alloc(32);
  head.writeUInt32LE(flags, 0);
  head.writeUInt32LE(maxPacketBytes, 4);
  head[8] = utf8mb4;
  return head;
}

/** The login (Protocol::HandshakeResponse41). */
export function loginPacket(login: {
  readonly flags: number;
  readonly user: string;
  readonly proof: Buffer;
  readonly database: string | undefined;
  readonly plugin: string;
}): Buffer {
  const { flags, user, proof, database, plugin } = login;
  return Buffer.concat([
    tlsRequest(flags),
    Buffer.from(`${user}\0`),
    Buffer.from([proof.length]),
    proof,
    Buffer.from(database === undefined ? '' : `${database}\0`),
    Buffer.from(`${plugin}\0`),
  ]);
}

/** Reads an ERR packet; undefined for any other. */
export function readError(payload: Buffer): ServerError | undefined {
  if (payload[0] !== 0xff || payload.length < 3) return undefined;
  const hasSqlState = payload[3] === 0x23; // '#' and five characters
  return { code: payload.readUInt16LE(1), message: payload.toString('utf8', hasSqlState ? 9 : 3) };
}

/** Reads the request to log in by another method; undefined for any other packet. */
export function readSwitch(payload: Buffer): { readonly plugin: string; readonly nonce: Buffer } | undefined {
  const end = payload.indexOf(0, 1);
  if (payload[0] !== 0xfe || end < 0) return undefined;
  const nonce = payload.subarray(end + 1);
  return { plugin: payload.toString('latin1', 1, end), nonce: nonce.subarray(0, nonceBytes) };
}

/** Whether this packet ends columns or rows. */
export function isEnd(payload: Buffer): boolean {
  return payload[0] === 0xfe && payload.length < 9;
}

/** Reads a row of a text result as far as the payload goes. */
export function readRow(payload: Buffer): readonly (string | null)[] {
  const values: (string | null)[] = [];
  let at = 0;
  while (at < payload.length) {
    if (payload[at] === 0xfb) {
      values.push(null);
      at += 1;
      continue;
    }
    const length = readLength(payload, at);
    if (length === undefined) break;
    const start = at + length.bytes;
    values.push(payload.toString('utf8', start, start + length.value));
    at = start + length.value;
  }
  return values;
}

/** Reads a length-encoded integer; undefined if there is none or it is cut off. */
export function readLength(
  payload: Buffer,
  at: number,
): { readonly value: number; readonly bytes: number } | undefined {
  const first = payload[at];
  if (first === undefined || first === 0xfb || first === 0xff) return undefined;
  if (first < 0xfb) return { value: first, bytes: 1 };
  const size = { 252: 2, 253: 3, 254: 8 }[first];
  if (size === undefined || payload.length < at + 1 + size) return undefined;
  const value = size === 8 ? Number(payload.readBigUInt64LE(at + 1)) : payload.readUIntLE(at + 1, size);
  return { value, bytes: 1 + size };
}
