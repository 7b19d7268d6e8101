import { randomBytes } from 'node:crypto';

// The packets of NTP (RFC 5905 section 7.3). Times are microseconds since 1970 (UTC).

const packetBytes = 48;
/** Seconds from 1900 to 1970, and the length of an era. */
const epochSeconds = 2_208_988_800;
const eraUs = 2 ** 32 * 1e6;

/** A server's answer. */
export interface NtpAnswer {
  /** 0: none, 1: the last minute has 61 s, 2: 59 s, 3: the clock is not synchronised. */
  readonly leap: number;
  readonly version: number;
  readonly stratum: number;
  /** log2 seconds. */
  readonly precision: number;
  readonly rootDelayMs: number;
  readonly rootDispersionMs: number;
  /** The source: an address for stratum 2 and more, a name for stratum 1, the kiss code for stratum 0. */
  readonly referenceId: string;
  /** Undefined: the clock was never set. */
  readonly referenceUs: number | undefined;
  readonly receivedUs: number;
  readonly sentUs: number;
}

/** A request, and the bytes by which its answer is recognised. */
export interface NtpRequest {
  readonly bytes: Buffer;
  /** A random number instead of the transmit timestamp: a client need not tell its time. */
  readonly cookie: string;
}

/** A request of a client. */
export function ntpRequest(version: number): NtpRequest {
  const bytes = Buffer.alloc(packetBytes);
  bytes[0] = (version << 3) | 3;
  const cookie = randomBytes(8);
  cookie.copy(bytes, 40);
  return { bytes, cookie: cookie.toString('hex') };
}

/**
 * The answer of a server with the cookie of its request; undefined: the datagram is no answer. `nearUs` is the present
 * time, which tells the era of the timestamps.
 */
export function readNtpAnswer(
  bytes: Buffer,
  nearUs: number,
): { readonly cookie: string; readonly answer: NtpAnswer } | undefined {
  if (bytes.length < packetBytes) return undefined;
  const first = bytes.readUInt8(0);
  const isServer = (first & 7) === 4;
  if (!isServer) return undefined;
  const stratum = bytes.readUInt8(1);
  const time = (at: number) => timeAt(bytes, at, nearUs);
  return {
    cookie: bytes.toString('hex', 24, 32),
    answer: {
      leap: first >> 6,
      version: (first >> 3) & 7,
      stratum,
      precision: bytes.readInt8(3),
      rootDelayMs: (bytes.readUInt32BE(4) / 65_536) * 1000,
      rootDispersionMs: (bytes.readUInt32BE(8) / 65_536) * 1000,
      referenceId: referenceOf(bytes.subarray(12, 16), stratum),
      referenceUs: bytes.readBigUInt64BE(16) === 0n ? undefined : time(16),
      receivedUs: time(32),
      sentUs: time(40),
    },
  };
}

/** A timestamp in the era that is nearest to a time (RFC 5905 section 6): they begin again in 2036. */
function timeAt(bytes: Buffer, at: number, nearUs: number): number {
  const seconds = bytes.readUInt32BE(at);
  const fraction = bytes.readUInt32BE(at + 4);
  const us = (seconds - epochSeconds) * 1e6 + (fraction * 1e6) / 2 ** 32;
  return us + Math.round((nearUs - us) / eraUs) * eraUs;
}

/** A timestamp as a server writes it. */
export function writeNtpTime(bytes: Buffer, at: number, us: number): void {
  const seconds = Math.floor(us / 1e6);
  const fraction = Math.round(((us - seconds * 1e6) / 1e6) * 2 ** 32);
  const carry = Math.floor(fraction / 2 ** 32);
  bytes.writeUInt32BE((((seconds + carry + epochSeconds) % 2 ** 32) + 2 ** 32) % 2 ** 32, at);
  bytes.writeUInt32BE(fraction % 2 ** 32, at + 4);
}

function referenceOf(bytes: Buffer, stratum: number): string {
  if (stratum > 1) return [...bytes].join('.');
  return bytes
    .toString('latin1')
    .replace(/\0+$/, '')
    .replace(/[^\x21-\x7e]/g, '?');
}

/**
 * Offset and round trip of an exchange (RFC 5905 section 8), milliseconds. A positive offset means that the server's
 * clock is ahead.
 */
export function clockOffset(
  { receivedUs, sentUs }: Pick<NtpAnswer, 'receivedUs' | 'sentUs'>,
  own: { readonly sentUs: number; readonly receivedUs: number },
): { readonly offsetMs: number; readonly roundTripMs: number } {
  return {
    offsetMs: (receivedUs - own.sentUs + (sentUs - own.receivedUs)) / 2000,
    roundTripMs: Math.max(0, (own.receivedUs - own.sentUs - (sentUs - receivedUs)) / 1000),
  };
}

/** The meaning of a kiss code (RFC 5905 section 7.4, RFC 8915). */
const kissCodes: Readonly<Record<string, string>> = {
  ACST: 'its association is of another kind (anycast)',
  AUTH: 'it could not authenticate its source',
  AUTO: 'its automatic key is not valid',
  BCST: 'its association is of another kind (broadcast)',
  CRYP: 'it could not authenticate or identify its source',
  DENY: 'it denies access to this agent',
  DROP: 'it lost its source in symmetric mode',
  RSTR: 'its rules restrict access for this agent',
  INIT: 'its clock was not set yet since its start',
  MCST: 'its association is of another kind (multicast)',
  NKEY: 'it has no such key',
  NTSN: 'it demands network time security',
  RATE: 'it wants fewer requests',
  RMOT: 'a remote daemon changes it',
  STEP: 'its clock was stepped and is not synchronised yet',
};
/** A kiss that describes the server's clock; all others refuse the request. */
const unsynchronisedKisses: readonly string[] = ['INIT', 'STEP', ''];

/** The meaning of an answer of stratum 0. */
export function kissOf(code: string): { readonly text: string; readonly isRefusal: boolean } {
  const meaning = Object.hasOwn(kissCodes, code) ? kissCodes[code] : undefined;
  const text = meaning === undefined ? code : `${code}: ${meaning}`;
  return { text, isRefusal: !unsynchronisedKisses.includes(code) };
}
