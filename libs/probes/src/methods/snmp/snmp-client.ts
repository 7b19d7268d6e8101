import { resultCode } from '@vantage/domain';
import type { LibrarySession, LibrarySocket, LibraryVarbind, NetSnmp } from 'net-snmp';
import { Failure } from '../../contract/failure.ts';
import { type Datagrams, malformed } from '../../net/datagrams.ts';
import { installDes } from './des-cipher.ts';
import { messageFlags } from './message-flags.ts';
import type { SnmpOptions } from './snmp-options.ts';

/** The value of an object; undefined if the device has no such object. */
export type SnmpValue =
  | { readonly type: 'integer' | 'gauge' | 'ticks' | 'counter32'; readonly value: number }
  | { readonly type: 'counter64'; readonly value: bigint }
  | { readonly type: 'text'; readonly value: Buffer }
  | { readonly type: 'name'; readonly value: string }
  | undefined;

export interface Varbind {
  readonly oid: string;
  readonly value: SnmpValue;
}

/** The requests of one check to one device. */
export interface SnmpClient extends Disposable {
  /** Messages that were sent, without repeated ones. */
  readonly requests: number;
  /** The bytes of all answers. */
  readonly received: number;
  /** Whether the device can be asked for several rows at once. */
  readonly hasBulk: boolean;
  /** The values of the objects, in the order of `oids`. */
  get(oids: readonly string[]): Promise<readonly SnmpValue[]>;
  /**
   * The objects after `scalars` and, for at most `repetitions` rows, after `columns`; a list for each. `isLong`: a
   * shorter answer could be asked for, so the wait leaves time for that.
   */
  bulk(
    scalars: readonly string[],
    columns: readonly string[],
    repetitions: number,
    isLong?: boolean,
  ): Promise<readonly (readonly Varbind[])[]>;
}

/** Loads net-snmp for the first check that needs it. Most agents have no device with the Method SNMP. */
export async function loadNetSnmp(): Promise<NetSnmp> {
  const library = (await import('net-snmp')).default;
  installDes(library);
  return library;
}

/** Derived keys, each 32 bytes under its protocol, password and engine. */
const maxKeys = 500;
/** The library's own timers never fire: `Datagrams` repeats, and the check has a deadline. */
const libraryTimeoutMs = 2_000_000_000;

/**
 * Creates the client. net-snmp encodes, decodes and secures the messages; `datagrams` sends them, so policy, deadline,
 * clock and repetition are those of every check.
 */
export function createSnmpClient(
  library: NetSnmp,
  datagrams: Datagrams,
  options: SnmpOptions,
  waits: SnmpWaits,
): SnmpClient {
  return new LibraryClient(library, datagrams, options, waits);
}

/** The times that a message waits for its answer, milliseconds. */
export interface SnmpWaits {
  /** Before the first answer, after which the device is known to be there. */
  readonly firstMs: number;
  /** For an answer that could be asked for in shorter ones. */
  readonly longMs: number;
  readonly laterMs: number;
}

class LibraryClient implements SnmpClient {
  readonly hasBulk: boolean;
  requests = 0;
  private readonly library: NetSnmp;
  private readonly datagrams: Datagrams;
  private readonly options: SnmpOptions;
  private readonly waits: SnmpWaits;
  private isAnswered = false;
  private isLoggedIn = false;
  private readonly session: LibrarySession;
  /** The message that the library wants to send. */
  private outgoing: Buffer | undefined;
  private unreadable: unknown;
  /** The fault of the message that the library reads, if it is an answer. */
  private weakness: Error | null = null;

  constructor(library: NetSnmp, datagrams: Datagrams, options: SnmpOptions, waits: SnmpWaits) {
    this.library = library;
    this.datagrams = datagrams;
    this.options = options;
    this.waits = waits;
    this.hasBulk = options.Version !== 'v1';
    boundKeys(library);
    this.session = openSession(library, options, this.socket());
    this.session.on('error', (error) => {
      this.unreadable = error;
    });
  }

  get received(): number {
    return this.datagrams.received;
  }

  async get(oids: readonly string[]): Promise<readonly SnmpValue[]> {
    const varbinds = await this.run<LibraryVarbind>((answered) => this.session.get(oids, answered));
    const found = new Map(varbinds.map((varbind) => [varbind.oid, varbind]));
    return oids.map((oid) => snmpValue(this.library, found.get(oid)));
  }

  async bulk(
    scalars: readonly string[],
    columns: readonly string[],
    repetitions: number,
    isLong = false,
  ): Promise<readonly (readonly Varbind[])[]> {
    const oids = [...scalars, ...columns];
    const lists = await this.run<LibraryVarbind | readonly LibraryVarbind[]>(
      (answered) =>
        this.hasBulk
          ? this.session.getBulk(oids, scalars.length, repetitions, answered)
          : this.session.getNext(oids, answered),
      isLong,
    );
    return lists.map((list) =>
      [list].flat().map((varbind) => ({ oid: varbind.oid, value: snmpValue(this.library, varbind) })),
    );
  }

  /** Runs a request, which may be several messages: v3 requests the engine and its time first. */
  private async run<T>(
    start: (answered: (error: Error | null, varbinds: readonly T[]) => void) => void,
    isLong = false,
  ): Promise<readonly T[]> {
    let ended: { readonly error: Error | null; readonly varbinds: readonly T[] } | undefined;
    const answer = () => ended;
    start((error, varbinds) => {
      ended ??= { error: error ?? this.weakness, varbinds };
    });
    while (answer() === undefined) {
      const message = this.outgoing;
      this.outgoing = undefined;
      if (message === undefined) throw new Error('net-snmp neither answers nor sends');
      this.requests += 1;
      const read = (bytes: Buffer) => {
        this.weakness = this.weaknessOf(bytes);
        this.unreadable = undefined;
        this.session.onMsg(bytes);
        if (this.unreadable !== undefined) throw this.unreadable;
        return answer() !== undefined || this.outgoing !== undefined ? true : undefined;
      };
      const isRead = await this.datagrams
        .ask(message, read, this.waitMs(isLong))
        .catch((error: unknown) => Promise.reject(this.silence(error)));
      if (isRead === undefined)
        throw new Failure(resultCode.timeout, `no answer from ${this.datagrams.peer}`);
      this.isAnswered = true;
    }
    const { error, varbinds } = answer() ?? { error: null, varbinds: [] };
    if (error) throw failureOf(error, this.datagrams.peer);
    this.isLoggedIn = true;
    return varbinds;
  }

  /** Agents drop what they cannot decrypt, without a report. */
  private silence(error: unknown): unknown {
    const isTimeout = error instanceof Failure && error.code === resultCode.timeout;
    if (!isTimeout || !this.isAnswered || this.isLoggedIn || this.options.PrivKey === undefined) return error;
    const text = `${this.datagrams.peer} answers, but not to encrypted requests: PrivKey or PrivProtocol may be wrong`;
    return new Failure(resultCode.timeout, text, { cause: error });
  }

  private waitMs(isLong: boolean): number {
    const { firstMs, longMs, laterMs } = this.waits;
    const usualMs = this.isAnswered ? laterMs : firstMs;
    return isLong ? Math.min(longMs, usualMs) : usualMs;
  }

  /** The library accepts an answer that lacks the protection of its request. */
  private weaknessOf(bytes: Buffer): Error | null {
    const { Version, AuthKey, PrivKey } = this.options;
    if (Version !== 'v3' || AuthKey === undefined) return null;
    const flags = messageFlags(bytes);
    if (flags?.isAuthenticated && (PrivKey === undefined || flags.isEncrypted)) return null;
    return new Error('it lacks the protection of the request');
  }

  private socket(): LibrarySocket {
    return {
      on() {},
      ref() {},
      unref() {},
      close() {},
      send: (bytes, _offset, _length, _port, _address, sent) => {
        this.outgoing = bytes;
        sent(null);
      },
    };
  }

  [Symbol.dispose](): void {
    // Ends the library's timers.
    this.session.cancelRequests(new Error('the check has ended'));
  }
}

function openSession(library: NetSnmp, options: SnmpOptions, socket: LibrarySocket): LibrarySession {
  const { Version, Community, User = '', AuthKey, PrivKey, Context = '' } = options;
  const settings = {
    retries: 0,
    timeout: libraryTimeoutMs,
    dgramModule: { createSocket: () => socket },
  };
  if (Version !== 'v3') {
    const version = Version === 'v1' ? library.Version1 : library.Version2c;
    return library.createSession('', Community, { ...settings, version });
  }
  const level = AuthKey === undefined ? 'noAuthNoPriv' : PrivKey === undefined ? 'authNoPriv' : 'authPriv';
  const user = {
    name: User,
    level: library.SecurityLevel[level],
    authProtocol: library.AuthProtocols[authNames[options.AuthProtocol]],
    authKey: AuthKey,
    privProtocol: library.PrivProtocols[privNames[options.PrivProtocol]],
    privKey: PrivKey,
  };
  return library.createV3Session('', user, { ...settings, context: Context });
}

const authNames = {
  MD5: 'md5',
  SHA: 'sha',
  SHA224: 'sha224',
  SHA256: 'sha256',
  SHA384: 'sha384',
  SHA512: 'sha512',
} as const;
const privNames = { DES: 'des', AES: 'aes', AES256: 'aes256b', AES256C: 'aes256r' } as const;

/** The library keeps every key that it derived, and a device that changes its engine makes it derive more. */
function boundKeys({ Authentication }: NetSnmp): void {
  if (Object.keys(Authentication.authToKeyCache).length >= maxKeys) Authentication.authToKeyCache = {};
}

function snmpValue({ ObjectType }: NetSnmp, varbind: LibraryVarbind | undefined): SnmpValue {
  const value = varbind?.value;
  switch (varbind?.type) {
    case ObjectType.Integer:
      return typeof value === 'number' ? { type: 'integer', value } : undefined;
    case ObjectType.Gauge:
      return typeof value === 'number' ? { type: 'gauge', value } : undefined;
    case ObjectType.TimeTicks:
      return typeof value === 'number' ? { type: 'ticks', value } : undefined;
    case ObjectType.Counter:
      return typeof value === 'number' ? { type: 'counter32', value } : undefined;
    case ObjectType.Counter64:
      return Buffer.isBuffer(value) ? { type: 'counter64', value: unsigned64(value) } : undefined;
    case ObjectType.OctetString:
      return Buffer.isBuffer(value) ? { type: 'text', value } : undefined;
    case ObjectType.IpAddress:
    case ObjectType.OID:
      return typeof value === 'string' ? { type: 'name', value } : undefined;
    default:
      return undefined;
  }
}

/** The number of a Counter64. Agents send it without leading zeros, or with one. */
function unsigned64(bytes: Buffer): bigint {
  return bytes.length === 0 ? 0n : BigInt.asUintN(64, BigInt(`0x${bytes.toString('hex')}`));
}

/** An answer of the device that is an error. */
export class SnmpError extends Error {
  /** The error-status of RFC 3416, such as 1 (tooBig) and 2 (noSuchName). */
  readonly status: number;
  /** The object that the device names. */
  readonly oid: string | undefined;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
    this.oid = /: ([0-9.]+)$/.exec(message)?.[1];
  }
}

const refusedStatuses = [6, 16];

function failureOf(error: Error, peer: string): Error {
  if (error.name === 'RequestFailedError' && 'status' in error && typeof error.status === 'number') {
    if (refusedStatuses.includes(error.status))
      return new Failure(resultCode.login, `${peer} refuses access (${error.message})`);
    return new SnmpError(error.status, error.message);
  }
  const login = loginFault(error.message);
  return login === undefined
    ? malformed(peer, error)
    : new Failure(resultCode.login, `${peer} refuses the login: ${login}`, { cause: error });
}

/** RFC 3414 section 3.2: the reports about a user and its keys. The library's own texts contain digests. */
function loginFault(message: string): string | undefined {
  if (message.includes('Unknown User Name')) return 'it does not know the User';
  if (/digest/i.test(message)) return 'AuthKey or AuthProtocol is wrong';
  if (/decrypt/i.test(message)) return 'PrivKey or PrivProtocol is wrong';
  if (message.includes('Unsupported Security Level'))
    return 'it demands another protection: set or leave out AuthKey and PrivKey';
  return undefined;
}
