import type { MethodSchema, OptionSchema } from './method-schemas.ts';

/** The purposes of Options, in the order of the form. */
export const optionGroups = ['expect', 'request', 'login', 'tls', 'network'] as const;
export type OptionGroup = (typeof optionGroups)[number];

const login =
  /^(User|Password|Token|Secret|Community|Auth|AuthProtocol|AuthKey|PrivProtocol|PrivKey|Context|PrivateKey|Passphrase|HostKeyFingerprint|LoginPrompt|PasswordPrompt)$/;
const network =
  /^(IPFamily|SourceAddress|DSCP|DontFragment|Proxy|HTTPVersion|TTL|Compression|Transport|Recursion|RDAPServer)$/;
const expectation =
  /^(Expect|Reject|AnswerRequired|RequireMessageAuthenticator|Min|Slow|Compare|Cron|Timezone|Grace|Max(?!Redirects))/;

/** The words for an Option, by its name; `TLS.Verify` for a part of an object. */
const words: Readonly<Record<string, string>> = {
  Method: 'HTTP method',
  Headers: 'Request headers',
  Body: 'Request body',
  User: 'User',
  Password: 'Password',
  MaxRedirects: 'Redirects to follow',
  IPFamily: 'Address family',
  Proxy: 'Proxy',
  HTTPVersion: 'HTTP version',
  ExpectStatus: 'Status is',
  ExpectText: 'Answer contains',
  RejectText: 'Answer does not contain',
  ExpectRegex: 'Answer matches',
  ExpectJSONPath: 'JSON path',
  ExpectJSONValue: 'JSON value is',
  ExpectHeaders: 'Headers of the answer',
  MaxTimeMs: 'Fails over, ms',
  SlowMs: 'Slow over, ms',
  MinSize: 'Smallest body, bytes',
  MaxSize: 'Largest body, bytes',
  ExpectSHA256: 'SHA-256 of the body',
  Compression: 'Compression',
  Count: 'Packets',
  Size: 'Payload, bytes',
  IntervalMs: 'Between packets, ms',
  MaxLossPercent: 'Loss at most, %',
  MaxRTTMs: 'Round trip at most, ms',
  TTL: 'Time to live, hops',
  ExpectBanner: 'Greeting contains',
  Auth: 'Login mechanism',
  Token: 'Bearer token',
  SourceAddress: 'Send from',
  DSCP: 'Mark of the packets, DSCP',
  DontFragment: 'Do not fragment',
  MaxJitterMs: 'Jitter at most, ms',
  MinMOS: 'Quality of a call at least, MOS',
  Helo: 'Name in the greeting',
  MailFrom: 'Sender',
  RcptTo: 'Recipient',
  Cron: 'Crontab line',
  Timezone: 'Time zone',
  GraceSeconds: 'Grace, s',
  MaxRunSeconds: 'Run at most, s',
  Database: 'Database',
  Query: 'Query',
  ExpectResult: 'First row is',
  Mailbox: 'Mailbox',
  Directory: 'Directory',
  List: 'List the directory',
  ExpectEntry: 'Directory contains',
  LoginPrompt: 'Prompt for the user',
  PasswordPrompt: 'Prompt for the password',
  ExpectPrompt: 'Text at the end',
  PrivateKey: 'Private key',
  Passphrase: 'Passphrase of the private key',
  HostKeyFingerprint: 'Fingerprint of the host key',
  Command: 'Command',
  ExpectOutput: 'Output contains',
  ExpectExitCode: 'Exit code is',
  Group: 'Newsgroup',
  Steps: 'Steps in turn',
  Server: 'Name server',
  Type: 'Record type',
  Expect: 'Records are',
  Transport: 'Transport',
  ExpectRcode: 'Response code is',
  CompareSOAWith: 'Same serial as these servers',
  Recursion: 'Recursion',
  Version: 'Protocol version',
  Community: 'Community',
  AuthProtocol: 'Authentication',
  AuthKey: 'Authentication password',
  PrivProtocol: 'Encryption',
  PrivKey: 'Encryption password',
  Context: 'Context',
  Interfaces: 'Interfaces to watch',
  Values: 'Objects to read',
  Send: 'Text to send',
  SendHex: 'Bytes to send, hex',
  ExpectHex: 'Answer contains bytes, hex',
  AnswerRequired: 'An answer is required',
  ProtocolVersion: 'NTP version',
  MaxOffsetMs: 'Offset at most, ms',
  MaxStratum: 'Stratum at most',
  MaxRootDispersionMs: 'Root dispersion at most, ms',
  Base: 'Base of the search',
  Filter: 'Filter of the search',
  Scope: 'Entries to search',
  ExpectEntries: 'Entries at least',
  ExpectAttribute: 'An entry has the attribute',
  Secret: 'Shared secret',
  ExpectCode: 'Answer is',
  NASIdentifier: 'Name of the agent',
  CalledStationId: 'Called station',
  CallingStationId: 'Calling station',
  RequireMessageAuthenticator: 'Message-Authenticator is required',
  From: 'Address of the sender',
  MinDaysLeft: 'Days left at least',
  ExpectRegistrar: 'Registrar contains',
  ExpectNameServers: 'Name servers are',
  RDAPServer: 'RDAP server',
  ExpectValue: 'Reply is',
  Info: 'Role and figures',
  ExpectRole: 'Role is',
  MinReplicas: 'Replicas at least',
  MaxReplicationLagSeconds: 'Replication lag at most, s',
  ClientId: 'Name of the client',
  Topic: 'Topic',
  Message: 'Message to send',
  ExpectMessage: 'Message contains',
  Subprotocol: 'Subprotocol',
  Ping: 'A ping must be answered',
  Service: 'Service',
  Authority: 'Virtual host',
  Metadata: 'Metadata',
  'TLS.Mode': 'TLS',
  'TLS.Verify': 'Check the certificate',
  'TLS.CA': 'Own authority, PEM',
  'TLS.ClientCert': 'Client certificate, PEM',
  'TLS.ClientKey': 'Private key of the client, PEM',
  'TLS.ServerName': 'Server name',
  'TLS.MinDaysLeft': 'Days left at least',
  'Steps.Send': 'Send',
  'Steps.SendHex': 'Send bytes, hex',
  'Steps.Expect': 'Expect',
  'Steps.ExpectHex': 'Expect bytes, hex',
  'Steps.ExpectRegex': 'Expect a match of',
  'Steps.Name': 'Name',
  'Steps.URL': 'URL or path',
  'Steps.Method': 'HTTP method',
  'Steps.Headers': 'Request headers',
  'Steps.Body': 'Request body',
  'Steps.ExpectStatus': 'Status is',
  'Steps.ExpectText': 'Body contains',
  'Steps.ExpectJSONPath': 'JSON path',
  'Steps.ExpectJSONValue': 'JSON value is',
  'Steps.MaxTimeMs': 'Fails over, ms',
  'Steps.Extract': 'Values for later steps',
  'Steps.Extract.Name': 'Name',
  'Steps.Extract.JSONPath': 'JSON path',
  'Steps.Extract.Regex': 'or regular expression',
  'Steps.Extract.Header': 'or header',
  'Steps.Extract.Cookie': 'or cookie',
  'Steps.Extract.Secret': 'Secret',
  'Interfaces.Name': 'Name',
  'Interfaces.Alias': 'or alias',
  'Interfaces.Index': 'or index',
  'Interfaces.ExpectStatus': 'Status is',
  'Interfaces.MaxUtilisation': 'Utilisation at most, %',
  'Interfaces.MaxErrorsPerSecond': 'Errors at most, /s',
  'Interfaces.DeviceDown': 'Else the device is Down',
  'Values.OID': 'OID',
  'Values.Name': 'or known object',
  'Values.Label': 'Label',
  'Values.Unit': 'Unit',
  'Values.Kind': 'Kind',
  'Values.Expect': 'Text is',
  'Values.Min': 'At least',
  'Values.Max': 'At most',
};

/** The words for an Option. An Option that the table does not know has its name. */
export const optionWords = (name: string): string => words[name] ?? name;

/** The words for an Option in a sentence, without its unit. */
export const shortOptionWords = (name: string): string => optionWords(name).split(',')[0] ?? name;

/** A field of the form: an Option, or a part of an Option that is an object. */
export interface OptionField {
  /** `ExpectText`, `TLS.Verify`. */
  readonly name: string;
  readonly path: readonly string[];
  readonly schema: OptionSchema;
  readonly group: OptionGroup;
}

function groupOf(name: string): OptionGroup {
  if (name.startsWith('TLS')) return 'tls';
  if (login.test(name)) return 'login';
  if (network.test(name)) return 'network';
  return expectation.test(name) ? 'expect' : 'request';
}

/** The fields for the Options of a Method. The parts of an object with known names are fields of their own. */
export function optionFieldsOf(method: MethodSchema): readonly OptionField[] {
  return Object.entries(method).flatMap(([option, schema]) =>
    schema.properties === undefined
      ? [{ name: option, path: [option], schema, group: groupOf(option) }]
      : Object.entries(schema.properties).map(([part, inner]) => ({
          name: `${option}.${part}`,
          path: [option, part],
          schema: inner,
          group: groupOf(option),
        })),
  );
}

const defaultAtEnd = /\s*;?\s*default:? ([^;]+?)\.?$/i;

/** The default in the description of an Option, and the description without it. */
export function splitDefault(description = ''): {
  readonly byDefault: string | undefined;
  readonly hint: string;
} {
  const found = defaultAtEnd.exec(description);
  if (found === null) return { byDefault: undefined, hint: description };
  const hint = description.slice(0, found.index).trim().replace(/\.?$/, '.');
  return { byDefault: found[1]?.replaceAll('"', ''), hint: hint === '.' ? '' : hint };
}
