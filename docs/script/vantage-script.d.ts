/**
 * The functions of a Vantage script. With
 *
 *     /// <reference path="vantage-script.d.ts" />
 *
 * on the first line of a script, an editor completes and checks it. A script is a JavaScript module with top-level `await`. It has only
 * the language itself and these declarations: no files, no environment, no `fetch`, no timers, no imports.
 */

/** Milliseconds of each phase of a call; a phase that did not happen is 0. */
interface Phases {
  readonly dns: number;
  readonly connect: number;
  readonly ssl: number;
  /** From the sent request (or the open connection, if the server speaks first) to the first byte of the answer. */
  readonly ttfb: number;
  /** From the first to the last byte, including the dialogue. */
  readonly ttlb: number;
}

/** The result of a good check. */
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
 * The error of a check that is not good. If the script does not catch it, the script ends with the ResultCode and text of the call.
 * It also has the members of the result (`error.status`, `error.body` of an HTTP 404).
 */
interface CheckError extends Error, Partial<HttpResult> {
  readonly name: 'CheckError';
  /** 2 no answer in time, 3 protocol, 5 name, 6 TLS, 7 expectation, 8 login, 9 policy, 10 agent; 4 the call itself is wrong. */
  readonly code: number;
}

/**
 * Common to all functions of checks. Each also accepts the Options of its Method, as the API documents them, with a lower-case first
 * letter (`ExpectText` is `expectText`, `TLS.MinDaysLeft` is `tls: { minDaysLeft }`).
 */
interface Call {
  /** Milliseconds for this call; default: the rest of the script's Timeout. */
  timeout?: number;
}

/** The target: a host with a port (default: the protocol's), or the URL of a device. */
interface Place {
  host?: string;
  port?: number;
  url?: string;
}

// Generated from here on: `vitest run script-declarations -u` writes this part from the Methods.

interface TlsSettings {
  /** Refuse a certificate that is not valid for the server's name. */
  verify?: boolean;
  /** Authorities to trust instead of the system's, PEM. */
  ca?: string;
  /** Client certificate with its chain, PEM. */
  clientCert?: string;
  /** Private key of the client certificate, PEM. */
  clientKey?: string;
  /** Name asked for (SNI) and expected in the certificate; default: the host. */
  serverName?: string;
  /** The certificate must be valid for at least this many days. */
  minDaysLeft?: number;
}

interface OwnTls extends TlsSettings {
  /** Whether TLS is spoken; default by the scheme. */
  mode?: 'None' | 'Implicit';
}

interface StartTls extends TlsSettings {
  /** When TLS starts; default: Implicit for the protocol's TLS scheme or port, else None. */
  mode?: 'None' | 'StartTLS' | 'Implicit';
}

interface HttpCall extends Call {
  url: string;
  /** A text, or an object that goes as JSON (with `Content-Type: application/json` unless you set another). */
  body?: string | object;
  /** Request method. */
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  /** Request headers; Host names a virtual host. */
  headers?: Record<string, string>;
  /**
   * Login: Basic and Digest (RFC 7616) use User and Password, Bearer uses Token; default: Bearer if there is a
   * Token, else Basic.
   */
  auth?: 'Basic' | 'Digest' | 'Bearer';
  /** User for Basic and Digest; default: the URL's. */
  user?: string;
  /** Password for Basic and Digest; default: the URL's. */
  password?: string;
  /** Token for Bearer. */
  token?: string;
  /** Redirects to follow; 0: the redirect is the answer. */
  maxRedirects?: number;
  /** Addresses to use: Any (IPv6 and IPv4 race, RFC 8305), 4 or 6. */
  ipFamily?: '4' | '6' | 'Any';
  /** Address of the agent's host to send from, or the name of its interface; default: the system chooses. */
  sourceAddress?: string;
  /** Mark of the packets for quality of service: 0 to 63, or a name such as EF, AF41 or CS5. */
  dscp?: string;
  /** Proxy to go through: http://user:password@host:port. */
  proxy?: string;
  /** Auto: what the server prefers (ALPN); plain http is 1.1. */
  httpVersion?: '2' | 'Auto' | '1.1';
  /** Statuses that are good; default: all below 400. */
  expectStatus?: string[];
  /** Text that the body must contain. */
  expectText?: string;
  /** Text that the body must not contain. */
  rejectText?: string;
  /** Regular expression that the body (its first MiB) must match. */
  expectRegex?: string;
  /** JSONPath that must find something in the body: names, ['names'], [0], [1:3], * and .., no filters. */
  expectJSONPath?: string;
  /** What ExpectJSONPath must find at least once, as text or JSON. */
  expectJSONValue?: string;
  /** Headers of the answer and the text each must contain ("" for any). */
  expectHeaders?: Record<string, string>;
  /** A check that takes longer fails. */
  maxTimeMs?: number;
  /** Least bytes of the body, decompressed. */
  minSize?: number;
  /** Most bytes of the body, decompressed; more are not read and fail the check. */
  maxSize?: number;
  /** SHA-256 of the body, decompressed. */
  expectSHA256?: string;
  /** Offer to take a compressed body (gzip, deflate, br, zstd). */
  compression?: boolean;
  /** TLS settings. */
  tls?: OwnTls;
  /**
   * Requests in turn, instead of one to the URL. A step extracts values for later ones; cookies are kept. Login and
   * Headers of the Options go to the address of the URL only.
   */
  steps?: {
    /** The name of the step, unique in the list. The text of a failure has it. */
    name: string;
    /** URL, or a path at the address of the device, with ${name} for extracted values; default: the device's URL. */
    url?: string;
    /** Request method. */
    method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
    /** Request headers of this step, beside those of the Options. */
    headers?: Record<string, string>;
    /**
     * Request body. Extracted values are escaped as its Content-Type needs it: JSON, or a form
     * (x-www-form-urlencoded).
     */
    body?: string;
    /** Statuses that are good; default: all below 400. */
    expectStatus?: string[];
    /** Text that the body must contain. */
    expectText?: string;
    /** Regular expression that the body (its first MiB) must match. */
    expectRegex?: string;
    /** JSONPath that must find something in the body: names, ['names'], [0], [1:3], * and .., no filters. */
    expectJSONPath?: string;
    /** What ExpectJSONPath must find at least once, as text or JSON. */
    expectJSONValue?: string;
    /** A step that takes longer fails. */
    maxTimeMs?: number;
    /** Values to take from the answer for later steps. */
    extract?: {
      /** Later steps use the value as ${name} in their URL, headers and body. */
      name: string;
      /** The first value that a JSONPath finds in the body. */
      jsonPath?: string;
      /** What the one group of a regular expression matches in the body. */
      regex?: string;
      /** A header of the answer. */
      header?: string;
      /** A cookie that this step or an earlier one set. */
      cookie?: string;
      /** The value is shown as *** everywhere, and no redirect takes it to another host. */
      secret?: boolean;
    }[];
  }[];
}

interface HttpResult extends Result {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The first 256 Ki characters. */
  readonly body: string;
}

/** Asks a web server. A status of 400 or more is a CheckError unless `expectStatus` allows it. */
declare function http(call: HttpCall): Promise<HttpResult>;

interface PingCall extends Call {
  host: string;
  /** Packets to send. */
  count?: number;
  /** Bytes of payload in each packet. */
  size?: number;
  /** Milliseconds from one packet to the next; less where the timeout would cut the last ones off. */
  intervalMs?: number;
  /** More loss than this is a failed expectation; default: one answer is enough. */
  maxLossPercent?: number;
  /** A longer mean round-trip time than this is a failed expectation. */
  maxRTTMs?: number;
  /** Addresses to use: Any (IPv6 and IPv4 race, RFC 8305), 4 or 6. */
  ipFamily?: '4' | '6' | 'Any';
  /** Time to live (hop limit) of the packets; default: the system's own. */
  ttl?: number;
  /** Address of the agent's host to send from, or the name of its interface; default: the system chooses. */
  sourceAddress?: string;
  /** Mark of the packets for quality of service: 0 to 63, or a name such as EF, AF41 or CS5. */
  dscp?: string;
  /**
   * Neither the agent nor a router may fragment the packets. If they are too big for the path, the check fails and
   * names the path MTU.
   */
  dontFragment?: boolean;
  /** More jitter (mean difference of successive round trips) is a failed expectation. */
  maxJitterMs?: number;
  /**
   * A lower mean opinion score (1 to 4.4, ITU-T G.107 from delay, jitter and loss) is a failed expectation. With it
   * or MaxJitterMs, jitter, loss and MOS are values of the check.
   */
  minMOS?: number;
}

/** Sends echo requests; `ms` is the mean round trip. */
declare function ping(call: PingCall): Promise<Result>;

interface SmtpCall extends Call, Place {
  /** A whole mail: headers, a blank line, text. The server gets it for `rcptTo`. Without it no mail is sent. */
  message?: string;
  /** TLS settings. */
  tls?: StartTls;
  /** User name to log in with; default: the one in the URL, else no login. */
  user?: string;
  /** Password to log in with; default: the one in the URL. */
  password?: string;
  /** Text that the server's greeting must contain. */
  expectBanner?: string;
  /** Addresses to use: Any (IPv6 and IPv4 race, RFC 8305), 4 or 6. */
  ipFamily?: '4' | '6' | 'Any';
  /** Login mechanism; Auto prefers CRAM-MD5 without TLS, and PLAIN with TLS. */
  auth?: 'Auto' | 'PLAIN' | 'LOGIN' | 'CRAM-MD5';
  /** Name to greet with; default: this agent's address as a literal, `[192.0.2.1]`. */
  helo?: string;
  /** Sender that must be accepted (MAIL FROM). Nothing is ever sent. */
  mailFrom?: string;
  /** Recipient that must be accepted (RCPT TO), from MailFrom or the empty sender. Nothing is ever sent. */
  rcptTo?: string;
}

/** Greets a mail server, logs in, tests whether it would accept a mail, or sends one. */
declare function smtp(call: SmtpCall): Promise<Result>;

interface Pop3Call extends Call, Place {
  /** TLS settings. */
  tls?: StartTls;
  /** User name to log in with; default: the one in the URL, else no login. */
  user?: string;
  /** Password to log in with; default: the one in the URL. */
  password?: string;
  /** Text that the server's greeting must contain. */
  expectBanner?: string;
  /** Addresses to use: Any (IPv6 and IPv4 race, RFC 8305), 4 or 6. */
  ipFamily?: '4' | '6' | 'Any';
  /** Login mechanism; Auto uses APOP without TLS if the server offers it, otherwise USER and PASS. */
  auth?: 'Auto' | 'USER' | 'APOP';
}

/** Greets a POP3 server and logs in; `facts.Messages` counts the mails. */
declare function pop3(call: Pop3Call): Promise<Result>;

interface MysqlCall extends Call, Place {
  /** TLS settings. */
  tls?: StartTls;
  /** User name to log in with; default: the one in the URL, else no login. */
  user?: string;
  /** Password to log in with; default: the one in the URL. */
  password?: string;
  /** Database to use; default: the one in the URL, else none. */
  database?: string;
  /** Query to run after the login. */
  query?: string;
  /** The first row's first value must be this, or the whole first row with tabs between its values (NULL is NULL). */
  expectResult?: string;
  /** Addresses to use: Any (IPv6 and IPv4 race, RFC 8305), 4 or 6. */
  ipFamily?: '4' | '6' | 'Any';
}

interface MysqlResult extends Result {
  /** The number of rows that the query returned. */
  readonly rows: number;
  /** The first row. */
  readonly row: readonly (string | null)[] | null;
}

/** Greets a MySQL or MariaDB server, logs in and asks a query. */
declare function mysql(call: MysqlCall): Promise<MysqlResult>;

interface ImapCall extends Call, Place {
  /** TLS settings. */
  tls?: StartTls;
  /** User name to log in with; default: the one in the URL, else no login. */
  user?: string;
  /** Password to log in with; default: the one in the URL. */
  password?: string;
  /** Text that the server's greeting must contain. */
  expectBanner?: string;
  /** Addresses to use: Any (IPv6 and IPv4 race, RFC 8305), 4 or 6. */
  ipFamily?: '4' | '6' | 'Any';
  /** Login mechanism; Auto uses LOGIN, or AUTHENTICATE PLAIN if the server disables LOGIN. */
  auth?: 'Auto' | 'LOGIN' | 'PLAIN';
  /** Mailbox that must open, read-only (EXAMINE), `INBOX` for one. */
  mailbox?: string;
}

/** Greets an IMAP server, logs in and opens a mailbox read-only; `facts.Messages` counts the mails. */
declare function imap(call: ImapCall): Promise<Result>;

interface FtpCall extends Call, Place {
  /** TLS settings. */
  tls?: StartTls;
  /** User name to log in with; default: the one in the URL, else no login. */
  user?: string;
  /** Password to log in with; default: the one in the URL. */
  password?: string;
  /** Text that the server's greeting must contain. */
  expectBanner?: string;
  /** Addresses to use: Any (IPv6 and IPv4 race, RFC 8305), 4 or 6. */
  ipFamily?: '4' | '6' | 'Any';
  /** Directory that must be there (CWD). */
  directory?: string;
  /** Must the directory be listable (EPSV or PASV, then LIST)? */
  list?: boolean;
  /** Name that the listing must hold; implies List. */
  expectEntry?: string;
}

/** Greets an FTP server, logs in, opens and lists a directory. */
declare function ftp(call: FtpCall): Promise<Result>;

interface TelnetCall extends Call, Place {
  /** TLS settings. */
  tls?: OwnTls;
  /** User name to log in with; default: the one in the URL, else no login. */
  user?: string;
  /** Password to log in with; default: the one in the URL. */
  password?: string;
  /** Text that must appear before or at the first prompt. */
  expectBanner?: string;
  /** Addresses to use: Any (IPv6 and IPv4 race, RFC 8305), 4 or 6. */
  ipFamily?: '4' | '6' | 'Any';
  /** Prompt for the user name; default: `login:`, `username:` and similar. */
  loginPrompt?: string;
  /** Prompt for the password; default: `password:` and similar. */
  passwordPrompt?: string;
  /**
   * Text that must appear at last (after the login, if there is one); default after a login: a line that ends in $,
   * #, > or %.
   */
  expectPrompt?: string;
}

/** Waits for a TELNET server's text and logs in by its prompts. */
declare function telnet(call: TelnetCall): Promise<Result>;

interface SshCall extends Call, Place {
  /** User name to log in with; default: the one in the URL, else no login. */
  user?: string;
  /** Password to log in with; default: the one in the URL. */
  password?: string;
  /** Private key to log in with (OpenSSH or PEM). */
  privateKey?: string;
  /** Passphrase of the private key. */
  passphrase?: string;
  /** The server's host key must have this fingerprint; nothing secret is sent otherwise. */
  hostKeyFingerprint?: string;
  /** Command to run after the login; its input is empty. */
  command?: string;
  /** Text that the command's output must contain (its first 64 KiB). */
  expectOutput?: string;
  /** The command's exit code; default: 0, where the server sends one. */
  expectExitCode?: number;
  /** Text that the server's version line must contain. */
  expectBanner?: string;
  /** Addresses to use: Any (IPv6 and IPv4 race, RFC 8305), 4 or 6. */
  ipFamily?: '4' | '6' | 'Any';
}

interface SshResult extends Result {
  readonly output: string;
  readonly exitCode: number | null;
}

/** Greets an SSH server, logs in and runs a command. */
declare function ssh(call: SshCall): Promise<SshResult>;

interface NntpCall extends Call, Place {
  /** TLS settings. */
  tls?: StartTls;
  /** User name to log in with; default: the one in the URL, else no login. */
  user?: string;
  /** Password to log in with; default: the one in the URL. */
  password?: string;
  /** Text that the server's greeting must contain. */
  expectBanner?: string;
  /** Addresses to use: Any (IPv6 and IPv4 race, RFC 8305), 4 or 6. */
  ipFamily?: '4' | '6' | 'Any';
  /** Newsgroup that must exist (GROUP). */
  group?: string;
}

/** Greets a news server, logs in and selects a group. */
declare function nntp(call: NntpCall): Promise<Result>;

interface TcpCall extends Call, Place {
  /** TLS settings. */
  tls?: OwnTls;
  /** The dialogue after the connect: each step sends, then expects. */
  steps?: {
    /** Text to send, as it stands (a line needs its own \r\n). */
    send?: string;
    /** Bytes to send, hexadecimal. */
    sendHex?: string;
    /** Text that the answer must contain. */
    expect?: string;
    /** Bytes that the answer must contain, hexadecimal. */
    expectHex?: string;
    /** Regular expression that the answer must match. */
    expectRegex?: string;
  }[];
  /** Addresses to use: Any (IPv6 and IPv4 race, RFC 8305), 4 or 6. */
  ipFamily?: '4' | '6' | 'Any';
  /** Address of the agent's host to send from, or the name of its interface; default: the system chooses. */
  sourceAddress?: string;
  /** Mark of the packets for quality of service: 0 to 63, or a name such as EF, AF41 or CS5. */
  dscp?: string;
}

interface TcpResult extends Result {
  /** All that was received while the steps ran. */
  readonly received: string;
}

/** Connects and, with `steps`, talks. */
declare function tcp(call: TcpCall): Promise<TcpResult>;

interface TlsCall extends Call, Place, TlsSettings {
  /** The dialogue after the connect: each step sends, then expects. */
  steps?: {
    /** Text to send, as it stands (a line needs its own \r\n). */
    send?: string;
    /** Bytes to send, hexadecimal. */
    sendHex?: string;
    /** Text that the answer must contain. */
    expect?: string;
    /** Bytes that the answer must contain, hexadecimal. */
    expectHex?: string;
    /** Regular expression that the answer must match. */
    expectRegex?: string;
  }[];
  /** Addresses to use: Any (IPv6 and IPv4 race, RFC 8305), 4 or 6. */
  ipFamily?: '4' | '6' | 'Any';
  /** Address of the agent's host to send from, or the name of its interface; default: the system chooses. */
  sourceAddress?: string;
  /** Mark of the packets for quality of service: 0 to 63, or a name such as EF, AF41 or CS5. */
  dscp?: string;
}

/** Like tcp(), under TLS from the start; the TLS settings are parameters like host and port. */
declare function tls(call: TlsCall): Promise<TcpResult>;

interface DnsCall extends Call {
  name: string;
  /** Server to ask; default: the URL's, else the agent's resolvers. */
  server?: string;
  /** Record type; default: the URL's ?type=, else A. */
  type?: 'A' | 'AAAA' | 'MX' | 'TXT' | 'NS' | 'SOA' | 'SRV' | 'PTR' | 'CAA' | 'DNSKEY' | 'CNAME';
  /** The records expected, as zone files write them, in any order: exactly these. */
  expect?: string[];
  /** UDP asks again over TCP when truncated. */
  transport?: 'UDP' | 'TCP' | 'TLS';
  /** TLS settings. */
  tls?: OwnTls;
  /** Response code expected; default NOERROR with at least one record. */
  expectRcode?: string;
  /** Servers whose SOA serial of this zone must be the same. */
  compareSOAWith?: string[];
  /** Request recursion. */
  recursion?: boolean;
  /** Addresses to use: Any (IPv6 and IPv4 race, RFC 8305), 4 or 6. */
  ipFamily?: '4' | '6' | 'Any';
}

interface DnsResult extends Result {
  /** The records' data as zone files write them. */
  readonly answers: readonly string[];
  readonly rcode: string;
}

/** Asks a name server. */
declare function dns(call: DnsCall): Promise<DnsResult>;

interface SnmpCall extends Call, Place {
  /** The version of the protocol. Only v3 encrypts. */
  version?: 'v1' | 'v2c' | 'v3';
  /** The community of v1 and v2c. It travels as plain text. */
  community?: string;
  /** The user of v3. */
  user?: string;
  /** How v3 authenticates. MD5 is broken: use it only where a device has nothing else. */
  authProtocol?: 'MD5' | 'SHA' | 'SHA224' | 'SHA256' | 'SHA384' | 'SHA512';
  /** The password of authentication; without it v3 does not authenticate. */
  authKey?: string;
  /**
   * How v3 encrypts: AES has 128 bits, AES256C is the form of Cisco. DES is broken: use it only where a device has
   * nothing else.
   */
  privProtocol?: 'DES' | 'AES' | 'AES256' | 'AES256C';
  /** The password of encryption; without it v3 does not encrypt. */
  privKey?: string;
  /** The context of v3; default: the one without a name. */
  context?: string;
  /** The interfaces to watch, each with its rates as values. */
  interfaces?: {
    /** The name of the interface: its ifName, else its ifDescr, such as GigabitEthernet1/0/1. */
    name?: string;
    /** The description that operators gave the interface: its ifAlias. */
    alias?: string;
    /** Its ifIndex. A restart may change it; Name and Alias stay. */
    index?: number;
    /** The operational status that the interface must have. */
    expectStatus?: 'Up' | 'Down' | 'Any';
    /** The maximum utilisation, per cent of the speed, of the busier direction. */
    maxUtilisation?: number;
    /** The maximum rate of errors, both directions together. */
    maxErrorsPerSecond?: number;
    /** The check fails where this interface misses its expectations. Else the check stays good and reports it. */
    deviceDown?: boolean;
  }[];
  /** Further objects to read. */
  values?: {
    /** The object with its instance, such as 1.3.6.1.2.1.1.3.0. */
    oid?: string;
    /**
     * A known object, with the index of its row where it has rows: sysUpTime, ifOperStatus.1, ifInOctets.1,
     * ifOutOctets.1, ifInErrors.1, ifOutErrors.1, ifHCInOctets.1, ifHCOutOctets.1, ifHCInUcastPkts.1,
     * ifHCOutUcastPkts.1, ifHighSpeed.1, hrSystemUptime, hrSystemNumUsers, hrSystemProcesses, hrMemorySize,
     * hrProcessorLoad.1, hrStorageSize.1, hrStorageUsed.1, hrStorageUsedPercent.1, hrPrinterStatus.1,
     * upsBatteryStatus, upsSecondsOnBattery, upsEstimatedMinutesRemaining, upsEstimatedChargeRemaining,
     * upsBatteryVoltage, upsBatteryCurrent, upsBatteryTemperature, upsInputFrequency.1, upsInputVoltage.1,
     * upsOutputSource, upsOutputVoltage.1, upsOutputPower.1, upsOutputPercentLoad.1, upsAlarmsPresent,
     * entPhySensorValue.1, entPhySensorOperStatus.1, prtMarkerLifeCount.1.1, prtMarkerSuppliesLevel.1.1,
     * prtMarkerSuppliesPercent.1.1.
     */
    name?: string;
    /** The name of the value; default: the object. */
    label?: string;
    /** The unit of the value; default: that of the known object, and /s for a counter. */
    unit?: string;
    /** Counter: the rate per second is the value. Text: only compared. Default: by the type of the object. */
    kind?: 'Gauge' | 'Counter' | 'Text';
    /** The text that the object must have. */
    expect?: string;
    /** A smaller value is a failed expectation. */
    min?: number;
    /** A greater value is a failed expectation. */
    max?: number;
  }[];
  /** Addresses to use: Any (IPv6 and IPv4 race, RFC 8305), 4 or 6. */
  ipFamily?: '4' | '6' | 'Any';
}

interface SnmpResult extends Result {
  /** The Values by their labels. A counter has a rate from the second call on. */
  readonly values: Readonly<Record<string, number | string | null>>;
}

/** Asks a device by SNMP. */
declare function snmp(call: SnmpCall): Promise<SnmpResult>;

interface UdpCall extends Call, Place {
  /** Text to send, as it stands. Without Send and SendHex an empty datagram is sent. */
  send?: string;
  /** Bytes to send, hexadecimal. */
  sendHex?: string;
  /** Text that the answer must contain. */
  expectText?: string;
  /** Bytes that the answer must contain, hexadecimal. */
  expectHex?: string;
  /** Regular expression that the answer must match. */
  expectRegex?: string;
  /**
   * false: silence is good too, for servers that never answer. Only a refusal (ICMP port unreachable) then fails the
   * check.
   */
  answerRequired?: boolean;
  /** Addresses to use: Any (IPv6 and IPv4 race, RFC 8305), 4 or 6. */
  ipFamily?: '4' | '6' | 'Any';
}

interface UdpResult extends Result {
  /** The answer as Latin-1: a character for each byte. */
  readonly received: string;
}

/** Sends a datagram and waits for an answer. */
declare function udp(call: UdpCall): Promise<UdpResult>;

interface NtpCall extends Call, Place {
  /** Version of NTP in the request: 3 or 4. */
  protocolVersion?: number;
  /**
   * The server's clock may differ from the clock of the agent's machine by at most this many milliseconds. The clock
   * of that machine must be right itself.
   */
  maxOffsetMs?: number;
  /** Greatest stratum: 1 has a reference clock, 2 follows a server of stratum 1. */
  maxStratum?: number;
  /** The server's own estimate of its error may be at most this many milliseconds. */
  maxRootDispersionMs?: number;
  /** Addresses to use: Any (IPv6 and IPv4 race, RFC 8305), 4 or 6. */
  ipFamily?: '4' | '6' | 'Any';
}

interface NtpResult extends Result {
  /** Positive: the server's clock is ahead of the agent's. */
  readonly offsetMs: number;
  readonly stratum: number;
}

/** Asks a time server. */
declare function ntp(call: NtpCall): Promise<NtpResult>;

interface LdapCall extends Call, Place {
  /** TLS settings. */
  tls?: StartTls;
  /** Name to bind as, such as cn=monitor,dc=example,dc=org; default: the URL's, else anonymous. */
  user?: string;
  /** Password to bind with; default: the URL's. */
  password?: string;
  /** Entry at which a search starts, such as dc=example,dc=org. Without Base there is no search. */
  base?: string;
  /** Filter of the search (RFC 4515). */
  filter?: string;
  /** Entries to search: the base alone, one level below it, or the base and all below it. */
  scope?: 'Base' | 'One' | 'Sub';
  /** The search must find at least this many entries. */
  expectEntries?: number;
  /** An entry must have this attribute, or NAME=VALUE: it must have this value in any letter case. */
  expectAttribute?: string;
  /** Addresses to use: Any (IPv6 and IPv4 race, RFC 8305), 4 or 6. */
  ipFamily?: '4' | '6' | 'Any';
}

interface LdapResult extends Result {
  /** The distinguished names of the entries that the search found. */
  readonly entries: readonly string[];
}

/** Binds to a directory server and searches. */
declare function ldap(call: LdapCall): Promise<LdapResult>;

interface RadiusCall extends Call, Place {
  /** The secret that the server shares with this agent. Every check needs it. */
  secret?: string;
  /** User name of an Access-Request; default: the one in the URL, else a Status-Server is sent. */
  user?: string;
  /** Password of the user (PAP); default: the one in the URL. */
  password?: string;
  /** Answer to an Access-Request that is good. A Status-Server has one good answer. */
  expectCode?: 'Access-Accept' | 'Access-Reject' | 'Access-Challenge';
  /** Name by which the agent names itself. */
  nasIdentifier?: string;
  /** Called-Station-Id of an Access-Request. */
  calledStationId?: string;
  /** Calling-Station-Id of an Access-Request. */
  callingStationId?: string;
  /**
   * An answer without a Message-Authenticator fails the check, because it can be forged (Blast-RADIUS,
   * CVE-2024-3596). One that is there is always verified.
   */
  requireMessageAuthenticator?: boolean;
  /** Addresses to use: Any (IPv6 and IPv4 race, RFC 8305), 4 or 6. */
  ipFamily?: '4' | '6' | 'Any';
}

interface RadiusResult extends Result {
  /** `Access-Accept`, `Access-Reject` and others. */
  readonly code: string;
}

/** Asks a RADIUS server. */
declare function radius(call: RadiusCall): Promise<RadiusResult>;

interface SipCall extends Call, Place {
  /** Default: TLS for sips://, else UDP. */
  transport?: 'UDP' | 'TCP' | 'TLS';
  /** TLS settings. */
  tls?: OwnTls;
  /** User in the address that is asked, sip:USER@host; default: the server itself. */
  user?: string;
  /** Address of the sender; default: sip:vantage at the agent's address. */
  from?: string;
  /** Statuses that are good; default: 200-299. */
  expectStatus?: string[];
  /** Addresses to use: Any (IPv6 and IPv4 race, RFC 8305), 4 or 6. */
  ipFamily?: '4' | '6' | 'Any';
}

interface SipResult extends Result {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends OPTIONS to a SIP server. */
declare function sip(call: SipCall): Promise<SipResult>;

interface DomainCall extends Call {
  name: string;
  /** The registration must last for at least this many days. */
  minDaysLeft?: number;
  /** Text that the registrar's name must contain, in any letter case. */
  expectRegistrar?: string;
  /** The name servers that the registry must have, in any order: exactly these. */
  expectNameServers?: string[];
  /**
   * Statuses that the domain must have, such as client transfer prohibited. A hold, the redemption period and a
   * pending delete fail unless they are expected.
   */
  expectStatus?: string[];
  /** Base URL of the registry's RDAP server; default: by IANA's list, else its WHOIS server. */
  rdapServer?: string;
  /** Addresses to use: Any (IPv6 and IPv4 race, RFC 8305), 4 or 6. */
  ipFamily?: '4' | '6' | 'Any';
}

interface DomainResult extends Result {
  /** null: the registry does not tell it. */
  readonly daysLeft: number | null;
  readonly registrar: string | null;
  readonly nameServers: readonly string[];
  readonly statuses: readonly string[];
}

/** Queries the registry of a domain. */
declare function domain(call: DomainCall): Promise<DomainResult>;

interface RedisCall extends Call, Place {
  /** TLS settings. */
  tls?: OwnTls;
  /** User name to log in with (Redis 6 and later); default: the one in the URL, else none. */
  user?: string;
  /** Password to log in with; default: the one in the URL, else no login. */
  password?: string;
  /** Number of the database; default: the one in the URL, else 0. */
  database?: number;
  /** Command to run after PING, such as LLEN jobs. A number in its reply is measured. */
  command?: string;
  /** The reply to Command must be this (a list: tabs between its items; nothing: NULL). */
  expectValue?: string;
  /** Ask for INFO: its role and figures (clients, memory, operations, replication) are kept. */
  info?: boolean;
  /** Role that the server must have. */
  expectRole?: 'master' | 'replica';
  /** Least replicas that are online, of a master. */
  minReplicas?: number;
  /** Most seconds since master and replica (the slowest one) last heard of each other. */
  maxReplicationLagSeconds?: number;
  /** Addresses to use: Any (IPv6 and IPv4 race, RFC 8305), 4 or 6. */
  ipFamily?: '4' | '6' | 'Any';
}

interface RedisResult extends Result {
  /** The reply to the command. */
  readonly reply: string | null;
  /** master, replica or sentinel, by INFO. */
  readonly role: string | null;
}

/** Asks a Redis server for PONG, logs in and runs a command. */
declare function redis(call: RedisCall): Promise<RedisResult>;

interface PostgresqlCall extends Call, Place {
  /** TLS settings. */
  tls?: StartTls;
  /** User name to log in with; default: the one in the URL, else no login. */
  user?: string;
  /** Password to log in with; default: the one in the URL. */
  password?: string;
  /** Database to use; default: the one in the URL, else the one named like the user. */
  database?: string;
  /** Query to run after the login. The numbers of its first row are measured by their column. */
  query?: string;
  /** The first row's first value must be this, or the whole first row with tabs between its values (NULL is NULL). */
  expectResult?: string;
  /** Role that the server must have: a standby is in recovery. */
  expectRole?: 'primary' | 'standby';
  /** Addresses to use: Any (IPv6 and IPv4 race, RFC 8305), 4 or 6. */
  ipFamily?: '4' | '6' | 'Any';
}

interface PostgresqlResult extends Result {
  /** The number of rows that the query returned. */
  readonly rows: number;
  /** The first row. */
  readonly row: readonly (string | null)[] | null;
}

/** Greets a PostgreSQL server, logs in and asks a query. */
declare function postgresql(call: PostgresqlCall): Promise<PostgresqlResult>;

interface MqttCall extends Call, Place {
  /** TLS settings. */
  tls?: OwnTls;
  /** User name to log in with; default: the one in the URL, else no login. */
  user?: string;
  /** Password to log in with; default: the one in the URL. */
  password?: string;
  /** Name of this client; default: a new one in each check. Servers end an older session of a name. */
  clientId?: string;
  /** Version of MQTT. */
  version?: '5' | '3.1.1';
  /** Topic to subscribe to; + and # match any part. */
  topic?: string;
  /** Message to publish on the Topic; it must come back, unless ExpectMessage is set. */
  message?: string;
  /** Text that a message on the Topic must contain before the Timeout; a retained one counts. */
  expectMessage?: string;
  /** Addresses to use: Any (IPv6 and IPv4 race, RFC 8305), 4 or 6. */
  ipFamily?: '4' | '6' | 'Any';
}

interface MqttResult extends Result {
  /** The message that was waited for. */
  readonly received: string | null;
}

/** Connects to an MQTT server, subscribes to a topic and sends a message. */
declare function mqtt(call: MqttCall): Promise<MqttResult>;

interface WebsocketCall extends Call {
  url: string;
  /** TLS settings. */
  tls?: OwnTls;
  /** Request headers of the upgrade; Host names a virtual host. */
  headers?: Record<string, string>;
  /** User for Basic authentication; default: the URL's. */
  user?: string;
  /** Password for Basic authentication. */
  password?: string;
  /** Subprotocol that the server must speak; several, with commas between them: one of them. */
  subprotocol?: string;
  /** Text to send as a message. */
  send?: string;
  /** Text that a message of the server must contain before the Timeout. */
  expectText?: string;
  /** Regular expression that a message of the server must match before the Timeout. */
  expectRegex?: string;
  /** Send a ping, which the server must answer; not where a message is expected. */
  ping?: boolean;
  /** Addresses to use: Any (IPv6 and IPv4 race, RFC 8305), 4 or 6. */
  ipFamily?: '4' | '6' | 'Any';
}

interface WebsocketResult extends Result {
  /** The message that was waited for. */
  readonly message: string | null;
}

/** Opens a WebSocket, sends a text and waits for a message. */
declare function websocket(call: WebsocketCall): Promise<WebsocketResult>;

interface GrpcCall extends Call, Place {
  /** TLS settings. */
  tls?: OwnTls;
  /** Service to check, such as shop.v1.Orders; default: the whole server. */
  service?: string;
  /** Status that the service must have. */
  expectStatus?: 'SERVING' | 'NOT_SERVING' | 'UNKNOWN';
  /** Virtual host (:authority); default: host and port. */
  authority?: string;
  /** Entries to send with the call, such as authorization. */
  metadata?: Record<string, string>;
  /** Addresses to use: Any (IPv6 and IPv4 race, RFC 8305), 4 or 6. */
  ipFamily?: '4' | '6' | 'Any';
}

interface GrpcResult extends Result {
  /** SERVING, NOT_SERVING or UNKNOWN. */
  readonly status: string;
}

/** Asks a gRPC server for the health of a service. */
declare function grpc(call: GrpcCall): Promise<GrpcResult>;

// Generated up to here.

/** Fails the script with ResultCode 4 and this text unless the condition is truthy; catching its error does not undo that. */
declare function expect(condition: unknown, text?: string): asserts condition;
/** Names a part of the script: the calls within `action` are listed under it, with its duration. Returns what `action` returns. */
declare function step<T>(name: string, action: () => T | Promise<T>): Promise<T>;
/** Names the part of the script from here to the next such step. */
declare function step(name: string): Promise<void>;
/** Adds a line to the extended data (at most 200 lines, 32 KiB); objects are shown as JSON. */
declare function log(...values: unknown[]): void;
/**
 * Reports a measured value, which is stored and charted with the device: `value('queue', 12)`, `value('disk', 81.5, '%')`.
 * A label is one line of 1 to 100 characters, a unit of at most 20. A script reports at most 200 labels; of a label that
 * it reports again, the last number counts.
 */
declare function value(label: string, number: number, unit?: string): void;
/** The value of a secret of the account. It is masked in every result. Throws if no secret has this name. */
declare function secret(name: string): string;
/** Waits for this number of milliseconds. */
declare function sleep(ms: number): Promise<void>;
