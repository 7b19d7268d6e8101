/**
 * The functions that a Vantage script has. Put
 *
 *     /// <reference path="vantage-script.d.ts" />
 *
 * on the first line of a script and an editor completes and checks it. A script is a JavaScript module with top-level `await`; there is
 * nothing else in it than the language itself and what is declared here: no files, no environment, no `fetch`, no timers, no imports.
 */

/** Milliseconds of each phase of a call; a phase that did not happen is 0. */
interface Phases {
  readonly dns: number;
  readonly connect: number;
  readonly ssl: number;
  /** Request sent (or connection ready, where the server speaks first) to the first byte of the answer. */
  readonly ttfb: number;
  /** First byte to last byte, the dialogue included. */
  readonly ttlb: number;
}

/** What every looking function returns when all is well. */
interface Result {
  /** One line for people, as a device's check would show it. */
  readonly text: string;
  /** Sum of the phases, milliseconds. */
  readonly ms: number;
  readonly phases: Phases;
  /** Bytes of the answer. */
  readonly size: number;
  /** The facts of the extended data: Address, Certificate, Banner, … */
  readonly facts: Readonly<Record<string, unknown>>;
}

/**
 * What a looking function throws when all is not well. Left alone it ends the script with the call's own ResultCode and text; caught, it
 * is the script's to judge. Beside these it carries what the answer held (`error.status`, `error.body` of an HTTP 404).
 */
interface CheckError extends Error, Partial<HttpResult> {
  readonly name: 'CheckError';
  /** 2 no answer in time, 3 protocol, 5 name, 6 TLS, 7 expectation, 8 login, 9 policy, 10 agent; 4 the call itself is wrong. */
  readonly code: number;
}

/**
 * Common to all looking functions. Besides these each takes the Options of its method, as the API documents them, with a small first
 * letter (`ExpectText` is `expectText`, `TLS.MinDaysLeft` is `tls: { minDaysLeft }`).
 */
interface Call {
  /** Milliseconds for this call; default: what the script's Timeout leaves. */
  timeout?: number;
  /** Addresses to use. */
  ipFamily?: 'Any' | '4' | '6';
}

interface TlsSettings {
  verify?: boolean;
  /** Authorities to trust, PEM. */
  ca?: string;
  clientCert?: string;
  clientKey?: string;
  serverName?: string;
  minDaysLeft?: number;
}

interface OwnTls extends TlsSettings {
  /** Default: by the URL's scheme; a host and a port alone are spoken to in clear. */
  mode?: 'None' | 'Implicit';
}

interface StartTls extends TlsSettings {
  mode?: 'None' | 'StartTLS' | 'Implicit';
}

/** Where to: a host with a port (default: the protocol's), or a URL as a device has it. */
interface Place {
  host?: string;
  port?: number;
  url?: string;
}

interface Login {
  user?: string;
  password?: string;
}

interface HttpCall extends Call, Login {
  url: string;
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  headers?: Record<string, string>;
  /** A text, or an object that goes as JSON (with `Content-Type: application/json` unless you set another). */
  body?: string | object;
  maxRedirects?: number;
  proxy?: string;
  httpVersion?: 'Auto' | '1.1' | '2';
  /** Statuses that are good, `'200'` or `'200-299'`; default: all below 400. */
  expectStatus?: string[];
  expectText?: string;
  rejectText?: string;
  expectRegex?: string;
  expectJSONPath?: string;
  expectJSONValue?: string;
  expectHeaders?: Record<string, string>;
  maxTimeMs?: number;
  minSize?: number;
  maxSize?: number;
  expectSHA256?: string;
  compression?: boolean;
  tls?: OwnTls;
}

interface HttpResult extends Result {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The first 256 Ki characters. */
  readonly body: string;
}

interface TcpStep {
  /** Text to send, as it stands: a line needs its own `\r\n`. */
  send?: string;
  sendHex?: string;
  /** Text that the answer must contain before the next step. */
  expect?: string;
  expectHex?: string;
  expectRegex?: string;
}

interface TcpCall extends Call {
  host?: string;
  port?: number;
  /** `tcp://host:port` or `tls://host:port` */
  url?: string;
  steps?: TcpStep[];
}

interface TcpResult extends Result {
  /** All that was received while the steps ran. */
  readonly received: string;
}

interface DnsCall extends Call {
  name: string;
  /** A, AAAA, MX, TXT, NS, SOA, SRV, PTR, CAA, DNSKEY, …; default A. */
  type?: string;
  /** `host` or `host:port`; default: the agent's own resolvers. */
  server?: string;
  /** Exactly these records, in any order. */
  expect?: string[];
  expectRcode?: string;
  transport?: 'UDP' | 'TCP' | 'TLS';
  recursion?: boolean;
  compareSOAWith?: string[];
  tls?: OwnTls;
}

interface DnsResult extends Result {
  /** The records' data as zone files write them. */
  readonly answers: readonly string[];
  readonly rcode: string;
}

interface PingCall extends Call {
  host: string;
  count?: number;
  size?: number;
  intervalMs?: number;
  maxLossPercent?: number;
  maxRTTMs?: number;
  ttl?: number;
}

interface MailCall extends Call, Place, Login {
  expectBanner?: string;
  tls?: StartTls;
}

interface SmtpCall extends MailCall {
  auth?: 'Auto' | 'PLAIN' | 'LOGIN' | 'CRAM-MD5';
  helo?: string;
  mailFrom?: string;
  rcptTo?: string;
  /** A whole mail, headers, a blank line, text. With it the mail is really sent to `rcptTo`; without it nothing is. */
  message?: string;
}

interface SshCall extends Call, Place, Login {
  privateKey?: string;
  passphrase?: string;
  hostKeyFingerprint?: string;
  command?: string;
  expectOutput?: string;
  expectExitCode?: number;
  expectBanner?: string;
}

interface SshResult extends Result {
  readonly output: string;
  readonly exitCode: number | null;
}

interface MysqlCall extends Call, Place, Login {
  database?: string;
  query?: string;
  expectResult?: string;
  tls?: StartTls;
}

interface MysqlResult extends Result {
  /** How many rows there were, and the first of them. */
  readonly rows: number;
  readonly row: readonly (string | null)[] | null;
}

/** Asks a web server. A status of 400 or more is a CheckError unless `expectStatus` allows it. */
declare function http(call: HttpCall): Promise<HttpResult>;
/** Connects and, with `steps`, talks. */
declare function tcp(call: TcpCall & { tls?: OwnTls }): Promise<TcpResult>;
/** Like tcp(), under TLS from the start; the TLS settings stand beside host and port. */
declare function tls(call: TcpCall & TlsSettings): Promise<TcpResult>;
/** Asks a name server. */
declare function dns(call: DnsCall): Promise<DnsResult>;
/** Sends echo requests; `ms` is the mean round trip. */
declare function ping(call: PingCall): Promise<Result>;
/** Greets a mail server, logs in, asks whether a mail would be taken, or sends one. */
declare function smtp(call: SmtpCall): Promise<Result>;
/** Greets a POP3 server and logs in; `facts.Messages` counts the mails. */
declare function pop3(call: MailCall & { auth?: 'Auto' | 'USER' | 'APOP' }): Promise<Result>;
/** Greets an IMAP server, logs in and opens a mailbox read-only; `facts.Messages` counts the mails. */
declare function imap(
  call: MailCall & { auth?: 'Auto' | 'LOGIN' | 'PLAIN'; mailbox?: string },
): Promise<Result>;
/** Greets an FTP server, logs in, opens and lists a directory. */
declare function ftp(
  call: MailCall & { directory?: string; list?: boolean; expectEntry?: string },
): Promise<Result>;
/** Waits for a TELNET server's text and logs in by its prompts. */
declare function telnet(
  call: MailCall & { loginPrompt?: string; passwordPrompt?: string; expectPrompt?: string },
): Promise<Result>;
/** Greets a news server, logs in and selects a group. */
declare function nntp(call: MailCall & { group?: string }): Promise<Result>;
/** Greets an SSH server, logs in and runs a command. */
declare function ssh(call: SshCall): Promise<SshResult>;
/** Greets a MySQL or MariaDB server, logs in and asks a query. */
declare function mysql(call: MysqlCall): Promise<MysqlResult>;

/** Fails the script with ResultCode 4 and this text unless the condition is truthy; catching what it throws does not undo that. */
declare function expect(condition: unknown, text?: string): asserts condition;
/** Names a part of the script: the calls within `action` are listed under it, with its duration. Returns what `action` returns. */
declare function step<T>(name: string, action: () => T | Promise<T>): Promise<T>;
/** Names the part of the script from here to the next such step. */
declare function step(name: string): Promise<void>;
/** Keeps a line for the extended data (at most 200 lines, 32 KiB); objects are shown as JSON. */
declare function log(...values: unknown[]): void;
/** The value of an account's secret. It is masked wherever it would show in a result. Throws when there is none of that name. */
declare function secret(name: string): string;
/** Waits, milliseconds. */
declare function sleep(ms: number): Promise<void>;
