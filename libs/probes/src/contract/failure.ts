import { type ResultCode, resultCode } from '@vantage/domain';
import { messageOf } from '@vantage/kernel';
import type { Peer } from './dial.ts';
import type { Extended, Outcome } from './probe.ts';

/** The ResultCode of a failure. */
export type FailureCode = Exclude<ResultCode, typeof resultCode.ok>;

/** The causes of a failure that a probe decides by: the peer reset the connection, or it speaks another protocol. */
type FailureReason = 'reset' | 'wrong-protocol';

/**
 * A check's bad end, thrown from the depth of a dialogue up to `run.ts`: the ResultCode, one line for people and what
 * goes into the extended data.
 */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly extended: Extended;
  readonly reason: FailureReason | undefined;

  constructor(
    code: FailureCode,
    text: string,
    options: { extended?: Extended; cause?: unknown; reason?: FailureReason } = {},
  ) {
    super(text, options.cause === undefined ? {} : { cause: options.cause });
    this.name = 'Failure';
    this.code = code;
    this.extended = options.extended ?? {};
    this.reason = options.reason;
  }
}

/** A failure as the outcome of a check that got `dataSize` bytes. */
export function outcomeOf(failure: Failure, dataSize = 0): Outcome {
  return { code: failure.code, text: failure.message, dataSize, extended: failure.extended };
}

/** The `code` of a system error (`ECONNREFUSED`), or ''. */
export function systemCode(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}

/** `10.0.0.1:25`, `[2001:db8::1]:25`; without a port the bare address. */
export function showPeer(address: string, port: number): string {
  if (port === 0) return address;
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/** Several peers for people: `10.0.0.1:25, [2001:db8::1]:25`. */
export function showPeers(peers: readonly Peer[]): string {
  return peers.map(({ address, port }) => showPeer(address, port)).join(', ');
}

const controlChars: Readonly<Record<string, string>> = { '\r': '\\r', '\n': '\\n', '\t': '\\t' };

/** A text with control characters as `\r`, `\n`, `\t` or `\xNN`, so that it can stand in a log or a terminal. */
export function printable(text: string): string {
  return text.replace(
    /\p{Cc}/gu,
    (each) => controlChars[each] ?? `\\x${each.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}

/** A piece of a foreign text for a message: quoted, printable, at most `max` characters. */
export function quoteShort(text: string, max = 100): string {
  const flat = printable(text.trimEnd());
  return `"${flat.length > max ? `${flat.slice(0, max)}…` : flat}"`;
}

/** Seconds for people: `5 s`, `0.5 s`. */
export function showSeconds(ms: number): string {
  return `${Math.round(ms / 10) / 100} s`;
}

/**
 * The failure behind an error of the system on the way to or from `peer` (`10.0.0.1:25`). A Failure passes through as
 * it is; an error that nobody foresaw is the agent's (10), so that it never counts against the device.
 */
export function networkFailure(error: unknown, peer: string): Failure {
  if (error instanceof Failure) return error;
  const of = (code: FailureCode, text: string) => new Failure(code, text, { cause: error });
  const code = systemCode(error);
  if (/^ERR_(SSL|TLS)_/.test(code))
    return of(
      resultCode.tls,
      `TLS with ${peer} failed: ${tlsWords({ code, message: error instanceof Error ? error.message : code })}`,
    );
  switch (code) {
    case 'ECONNREFUSED':
      return of(resultCode.protocol, `connection refused by ${peer}`);
    case 'ECONNRESET':
    case 'EPIPE':
    case 'ECONNABORTED':
      return new Failure(resultCode.protocol, `connection reset by ${peer}`, {
        cause: error,
        reason: 'reset',
      });
    case 'ETIMEDOUT':
      return of(resultCode.timeout, `no answer from ${peer}: the system gave up`);
    case 'EHOSTUNREACH':
    case 'EHOSTDOWN':
      return of(resultCode.timeout, `host of ${peer} is unreachable`);
    case 'ENETUNREACH':
    case 'ENETDOWN':
      return of(resultCode.timeout, `network of ${peer} is unreachable`);
    case 'EMFILE':
    case 'ENFILE':
      return of(resultCode.agent, `this agent is out of sockets (${code}): raise its limit of open files`);
    case 'ENOBUFS':
    case 'ENOMEM':
      return of(resultCode.agent, `this agent's system is out of memory for sockets (${code})`);
    case 'EADDRNOTAVAIL':
      return of(resultCode.agent, `this agent has no local address or port left to reach ${peer} (${code})`);
    case 'EINVAL':
      return of(resultCode.agent, `this agent's system does not route to ${peer} (${code})`);
    case 'EACCES':
    case 'EPERM':
      return of(resultCode.agent, `this agent's own system or firewall forbids reaching ${peer} (${code})`);
    default:
      return of(resultCode.agent, `unforeseen error on the way to ${peer}: ${messageOf(error)}`);
  }
}

/** The failure of an address that this machine's routing table has no way to. */
export function noRoute(address: string): Failure {
  return new Failure(resultCode.agent, `this agent has no route to ${address}`);
}

/** The failure of a connection that ended before the answer was complete. */
export function closedEarly(peer: string, instead: string): Failure {
  return new Failure(resultCode.protocol, `${peer} closed the connection ${instead}`);
}

/** The failure of an expectation set in the Options. */
export function notMet(text: string, extended: Extended = {}): Failure {
  return new Failure(resultCode.expectation, text, { extended });
}

/** The text of an alert (RFC 8446 section 6), with the setting to change. `name` is the requested server. */
const alerts: Readonly<Record<number, (name: string) => string>> = {
  40: () => 'it refuses what this agent offers, or wants a client certificate (alert 40, handshake failure)',
  42: () => 'it does not accept the client certificate (alert 42, bad certificate)',
  43: () => 'it does not accept this kind of client certificate (alert 43)',
  44: () => 'it says that the client certificate is revoked (alert 44)',
  45: () => 'it says that the client certificate has expired (alert 45)',
  46: () => 'it does not accept the client certificate (alert 46)',
  48: () => 'it does not know the authority of the client certificate (alert 48)',
  49: () => 'it refuses this client (alert 49, access denied)',
  70: () => 'it has no TLS version in common with this agent, which speaks 1.2 and 1.3 (alert 70)',
  71: () => 'it wants stronger ciphers (alert 71, insufficient security)',
  80: () => 'it has an internal error (alert 80)',
  112: (name) => `it knows no server named ${name} (alert 112): set ServerName`,
  116: () => 'it wants a client certificate: set ClientCert and ClientKey (alert 116)',
  120: () => 'it speaks no protocol that this agent offers (alert 120, ALPN)',
};

/** OpenSSL's own findings about the server's side. */
const findings: Readonly<Record<string, string>> = {
  UNSUPPORTED_PROTOCOL: 'it speaks only a TLS version before 1.2',
  UNEXPECTED_MESSAGE: 'it breaks the rules of TLS (unexpected message)',
  DH_KEY_TOO_SMALL: 'its Diffie-Hellman key is too short to be safe',
  EE_KEY_TOO_SMALL: "its certificate's key is too short to be safe",
  CA_MD_TOO_WEAK: 'its certificate is signed by a method that is not safe any more',
  UNSAFE_LEGACY_RENEGOTIATION_DISABLED: 'it knows no safe renegotiation (RFC 5746)',
  TLSV13_ALERT_CERTIFICATE_REQUIRED:
    'it wants a client certificate: set ClientCert and ClientKey (alert 116)',
};

/** The reason why a server and this agent agreed on no TLS, as text. */
export function tlsWords(
  { code, message }: { readonly code: string; readonly message: string },
  name = 'this name',
): string {
  const number = Number(/alert number (\d+)/.exec(message)?.[1]);
  const alert = alerts[number];
  if (alert) return alert(name);
  const reason = code.replace(/^ERR_(SSL_)?/, '');
  const known = findings[reason];
  if (known !== undefined) return known;
  const shown = code === '' ? message : reason.replaceAll('_', ' ').toLowerCase();
  return Number.isNaN(number) ? shown : `${shown} (alert ${number})`;
}
