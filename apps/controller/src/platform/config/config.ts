import type { KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import path from 'node:path';
import { contactTypes } from '@vantage/alerts';
import { type AccountLimits, addressesOf, defaultLimits, readReleaseKey } from '@vantage/domain';
import {
  type Accepted,
  acceptedPort,
  commonSettings,
  createSettingsReader,
  isNetwork,
  type logLevels,
} from '@vantage/kernel';
import { z } from 'zod';
import { leastPackDays } from '../db/packed/pack-age.ts';
import { acceptedDatabase, type DatabaseSettings, readDatabase } from './database.ts';
import { acceptedOidc, type OidcSettings, readOidc } from './oidc.ts';
import { allRoles, type Role } from './roles.ts';

/** The controller's settings after validation. */
export interface Config extends DatabaseSettings {
  /** Absolute. */
  readonly dataDir: string;
  readonly httpsPort: number;
  readonly agentPort: number;
  /** undefined: all addresses, IPv6 and IPv4. */
  readonly listen: string | undefined;
  /** The parts of a controller that run in this process. */
  readonly roles: ReadonlySet<Role>;
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly tlsNames: readonly string[];
  /** The agents' ports as agents reach them, `https://host:port`; empty: by the names of this machine. */
  readonly agentUrls: readonly string[];
  /** Folder with the parcels of the agent. */
  readonly parcels: string;
  /** The parcel for hosts like this one is made here when it is missing: nobody named a folder. */
  readonly makesParcel: boolean;
  /** The public release key, as its line and read; undefined: agents are not upgraded from afar. */
  readonly releaseKey: { readonly line: string; readonly key: KeyObject } | undefined;
  readonly trustedProxies: readonly string[];
  /** The header in which a trusted proxy names whom it signed in; undefined: none counts. */
  readonly signInHeader: string | undefined;
  readonly apiKeyHeaders: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly retentionDays: number;
  readonly accountLimits: AccountLimits;
  /** A day's checks are packed so many days after its end. */
  readonly packAfterDays: number | 'never';
  /** A backup may be so old before people are notified; 0: as old as it gets. */
  readonly backupMaxDays: number;
  readonly secretKeyFile: string;
  /** The operator gives up the values that the key cannot open. */
  readonly secretKeyLost: boolean;
  /** Webhooks may go to loopback and private addresses, and by plain HTTP. */
  readonly allowPrivateWebhooks: boolean;
  /** The SMTP server for e-mails; undefined: none. */
  readonly smtpUrl: string | undefined;
  /** `Vantage <vantage@example.org>`, or the address alone. */
  readonly mailFrom: string;
  /** Telegram's Bot API, without a slash at the end; undefined: that of Telegram itself. */
  readonly telegramUrl: string | undefined;
  /** Where people reach the API, without a slash at the end; undefined: the controller's own address. */
  readonly publicUrl: string | undefined;
  /** Is called each minute while everything makes progress; undefined: nothing is called. */
  readonly heartbeatUrl: string | undefined;
  /** Port on loopback with the series of this process; undefined: none. */
  readonly metricsPort: number | undefined;
  /** Base address of an OpenTelemetry collector; undefined: no traces. */
  readonly otlpUrl: string | undefined;
  readonly logLevel: (typeof logLevels)[number];
  /** undefined: no provider signs people in. */
  readonly oidc: OidcSettings | undefined;
  /** How many times faster configured intervals pass; 1 outside tests. */
  readonly testTimeScale: number;
}

/** The settings, or all their faults. */
export type ConfigResult =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly problems: readonly string[] };

const list = z
  .string()
  .transform((text) => text.split(',').map((entry) => entry.trim()))
  .refine((entries) => entries.every((entry) => entry !== ''));

/** A URL of one of these schemes, without a fragment. */
function webAddress(protocol: RegExp) {
  return z
    .string()
    .refine((text) => URL.canParse(text) && protocol.test(new URL(text).protocol) && !text.includes('#'));
}

/** An e-mail address, or `Name <address>`. */
function isMailbox(text: string): boolean {
  const named = /^[^<>"\p{Cc}]{1,100} <([^<>]+)>$/u.exec(text)?.[1];
  return contactTypes.email.addressFault(named ?? text, { allowPrivate: false }) === null;
}

/** The origin of a URL, as browsers write it. */
function originOf(text: string): string | undefined {
  return URL.canParse(text) ? new URL(text).origin : undefined;
}

/** Where `npm run parcel` puts what it builds. */
const defaultParcels = path.resolve(import.meta.dirname, '../../../../../agent-installer/dist');

/** Each setting with the values that it accepts, in words. */
const accepted = {
  VANTAGE_DATA: [z.string(), 'a folder'],
  VANTAGE_HTTPS_PORT: acceptedPort,
  VANTAGE_AGENT_PORT: acceptedPort,
  VANTAGE_LISTEN: [z.string().refine((text) => isIP(text) !== 0), 'an IP address'],
  VANTAGE_ROLES: [
    list.pipe(z.array(z.enum(allRoles))).transform((roles): ReadonlySet<Role> => new Set(roles)),
    `roles, comma-separated: ${allRoles.join(', ')}`,
  ],
  VANTAGE_TLS_CERT: [z.string(), 'a file'],
  VANTAGE_TLS_KEY: [z.string(), 'a file'],
  VANTAGE_TLS_NAMES: [
    list.refine((names) => names.every((name) => /^[A-Za-z0-9.:_-]{1,253}$/.test(name))),
    'names or addresses, comma-separated',
  ],
  VANTAGE_AGENT_URL: [
    z
      .string()
      .transform(addressesOf)
      .refine((all) => all.length > 0 && all.every((one) => /^https:\/\/[^/?#@]+$/.test(one)))
      .pipe(z.array(webAddress(/^https:$/))),
    'https://host:port, as agents reach it, several comma-separated: https://vantage.example.org:8444',
  ],
  VANTAGE_PARCELS: [z.string(), 'a folder'],
  VANTAGE_RELEASE_PUBLIC_KEY: [
    z.string().transform((line, context) => {
      const key = readReleaseKey(line);
      if (key !== undefined) return { line: line.trim(), key };
      context.addIssue('no release key');
      return z.NEVER;
    }),
    'the line that "./vantage release-key create" prints: MCowBQYDK2VwAyEA…=',
  ],
  VANTAGE_TRUSTED_PROXIES: [
    list.refine((all) => all.every(isNetwork)),
    'addresses or networks, comma-separated: 192.0.2.1, 10.0.0.0/8',
  ],
  VANTAGE_SIGN_IN_HEADER: [
    z.string().regex(/^[A-Za-z0-9-]{1,100}$/),
    'the name of the header in which your trusted proxy sends the e-mail address of whom it signed in: X-Forwarded-Email',
  ],
  VANTAGE_API_KEY_HEADERS: [
    list.refine((names) => names.every((name) => /^[A-Za-z0-9!#$%&'*+.^_|~-]+$/.test(name))),
    'header names, comma-separated',
  ],
  VANTAGE_CORS_ORIGINS: [
    list.refine((origins) => origins.every((text) => /^https?:/.test(text) && originOf(text) === text)),
    'origins of web pages, comma-separated: https://status.example.org, http://localhost:3000',
  ],
  VANTAGE_RETENTION_DAYS: [
    z
      .string()
      .regex(/^\d{1,4}$/)
      .transform(Number)
      .refine((days) => days >= 1 && days <= 3650),
    'days: 1 to 3650',
  ],
  VANTAGE_ACCOUNT_LIMITS: [
    z.string().transform(readLimits),
    `numbers by kind, comma-separated: devices=200000,tags=500; the kinds are ${Object.keys(defaultLimits).join(', ')}`,
  ],
  VANTAGE_PACK_AFTER_DAYS: [
    z
      .string()
      .regex(/^(never|\d{1,4})$/)
      .transform((text) => (text === 'never' ? text : Number(text)))
      .refine((days) => days === 'never' || (days >= leastPackDays && days <= 3650)),
    'days: 2 to 3650, or never',
  ],
  VANTAGE_BACKUP_MAX_DAYS: [
    z
      .string()
      .regex(/^\d{1,4}$/)
      .transform(Number)
      .refine((days) => days <= 3650),
    'days: 0 to 3650',
  ],
  VANTAGE_SECRET_KEY_FILE: [z.string(), 'a file'],
  VANTAGE_SECRET_KEY_LOST: [z.enum(['yes', 'no']), 'yes or no'],
  VANTAGE_ALLOW_PRIVATE_WEBHOOKS: [z.enum(['true', 'false']), 'true or false'],
  VANTAGE_SMTP_URL: [
    webAddress(/^smtps?:$/),
    'smtp://user:password@host:587 or smtps://user:password@host:465',
  ],
  VANTAGE_MAIL_FROM: [
    z.string().refine((text) => isMailbox(text)),
    'an e-mail address, also with a name: Vantage <vantage@example.org>',
  ],
  VANTAGE_TELEGRAM_URL: [
    webAddress(/^https?:$/)
      .refine((text) => !/[@?]/.test(text))
      .transform((text) => text.replace(/\/+$/, '')),
    'a web address without a login and a query: https://telegram.example.org',
  ],
  VANTAGE_PUBLIC_URL: [
    webAddress(/^https?:$/).transform((text) => text.replace(/\/+$/, '')),
    'a web address: https://vantage.example.org',
  ],
  VANTAGE_HEARTBEAT_URL: [webAddress(/^https?:$/), 'a web address: https://hc-ping.example/0f3c'],
  VANTAGE_OTLP_URL: [
    z.string().refine((text) => /^https?:/.test(text) && URL.canParse(text) && !/[@?#]/.test(text)),
    'the address of a collector without a user name or a query: http://localhost:4318',
  ],
  ...commonSettings,
  ...acceptedOidc,
  ...acceptedDatabase,
} as const satisfies Record<string, Accepted<unknown>>;

/**
 * Reads the settings from the environment and the optional file. The result has all faults at once, unknown names
 * included. Relative paths start at `cwd`.
 */
export function loadConfig(deps: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly readText: (file: string) => string;
}): ConfigResult {
  const { given, problems, read } = createSettingsReader(deps);
  const absolute = (file: string) => path.resolve(deps.cwd, file);
  const dataDir = absolute(read('VANTAGE_DATA', accepted.VANTAGE_DATA) ?? 'data');
  const [certFile, keyFile] = [
    read('VANTAGE_TLS_CERT', accepted.VANTAGE_TLS_CERT),
    read('VANTAGE_TLS_KEY', accepted.VANTAGE_TLS_KEY),
  ];
  if ((certFile === undefined) !== (keyFile === undefined))
    problems.push('VANTAGE_TLS_CERT and VANTAGE_TLS_KEY must be given together');
  const roles = read('VANTAGE_ROLES', accepted.VANTAGE_ROLES) ?? new Set(allRoles);
  const config: Config = {
    dataDir,
    httpsPort: read('VANTAGE_HTTPS_PORT', accepted.VANTAGE_HTTPS_PORT) ?? 8443,
    agentPort: read('VANTAGE_AGENT_PORT', accepted.VANTAGE_AGENT_PORT) ?? 8444,
    listen: read('VANTAGE_LISTEN', accepted.VANTAGE_LISTEN),
    ...readDatabase(read, roles, problems),
    roles,
    tls:
      certFile === undefined || keyFile === undefined
        ? undefined
        : { certFile: absolute(certFile), keyFile: absolute(keyFile) },
    tlsNames: read('VANTAGE_TLS_NAMES', accepted.VANTAGE_TLS_NAMES) ?? [],
    agentUrls: read('VANTAGE_AGENT_URL', accepted.VANTAGE_AGENT_URL) ?? [],
    parcels: absolute(read('VANTAGE_PARCELS', accepted.VANTAGE_PARCELS) ?? defaultParcels),
    makesParcel: given['VANTAGE_PARCELS'] === undefined,
    releaseKey: read('VANTAGE_RELEASE_PUBLIC_KEY', accepted.VANTAGE_RELEASE_PUBLIC_KEY),
    trustedProxies: read('VANTAGE_TRUSTED_PROXIES', accepted.VANTAGE_TRUSTED_PROXIES) ?? [],
    signInHeader: read('VANTAGE_SIGN_IN_HEADER', accepted.VANTAGE_SIGN_IN_HEADER)?.toLowerCase(),
    oidc: readOidc(read, absolute, problems),
    apiKeyHeaders: read('VANTAGE_API_KEY_HEADERS', accepted.VANTAGE_API_KEY_HEADERS) ?? [],
    corsOrigins: read('VANTAGE_CORS_ORIGINS', accepted.VANTAGE_CORS_ORIGINS) ?? [],
    retentionDays: read('VANTAGE_RETENTION_DAYS', accepted.VANTAGE_RETENTION_DAYS) ?? 35,
    accountLimits: read('VANTAGE_ACCOUNT_LIMITS', accepted.VANTAGE_ACCOUNT_LIMITS) ?? defaultLimits,
    packAfterDays: read('VANTAGE_PACK_AFTER_DAYS', accepted.VANTAGE_PACK_AFTER_DAYS) ?? 8,
    backupMaxDays: read('VANTAGE_BACKUP_MAX_DAYS', accepted.VANTAGE_BACKUP_MAX_DAYS) ?? 2,
    secretKeyFile: absolute(
      read('VANTAGE_SECRET_KEY_FILE', accepted.VANTAGE_SECRET_KEY_FILE) ?? path.join(dataDir, 'secret.key'),
    ),
    secretKeyLost: read('VANTAGE_SECRET_KEY_LOST', accepted.VANTAGE_SECRET_KEY_LOST) === 'yes',
    allowPrivateWebhooks:
      read('VANTAGE_ALLOW_PRIVATE_WEBHOOKS', accepted.VANTAGE_ALLOW_PRIVATE_WEBHOOKS) === 'true',
    smtpUrl: read('VANTAGE_SMTP_URL', accepted.VANTAGE_SMTP_URL),
    mailFrom: read('VANTAGE_MAIL_FROM', accepted.VANTAGE_MAIL_FROM) ?? 'Vantage <vantage@localhost>',
    telegramUrl: read('VANTAGE_TELEGRAM_URL', accepted.VANTAGE_TELEGRAM_URL),
    publicUrl: read('VANTAGE_PUBLIC_URL', accepted.VANTAGE_PUBLIC_URL),
    heartbeatUrl: read('VANTAGE_HEARTBEAT_URL', accepted.VANTAGE_HEARTBEAT_URL),
    metricsPort: read('VANTAGE_METRICS_PORT', accepted.VANTAGE_METRICS_PORT),
    otlpUrl: read('VANTAGE_OTLP_URL', accepted.VANTAGE_OTLP_URL),
    logLevel: read('VANTAGE_LOG_LEVEL', accepted.VANTAGE_LOG_LEVEL) ?? 'info',
    testTimeScale: read('VANTAGE_TEST_TIME_SCALE', accepted.VANTAGE_TEST_TIME_SCALE) ?? 1,
  };
  problems.push(...conflictsOf(config));
  return problems.length === 0 ? { ok: true, config } : { ok: false, problems };
}

/** Reads `devices=200000,tags=500`; kinds that are not named keep their limit. */
function readLimits(text: string, context: z.RefinementCtx): AccountLimits {
  const limits: Record<string, number> = { ...defaultLimits };
  for (const part of text.split(',')) {
    const [, kind = '', count = ''] = /^ *(\w+) *= *(\d{1,7}) *$/.exec(part) ?? [];
    if (!Object.hasOwn(defaultLimits, kind) || Number(count) < 1) {
      context.addIssue('no limit');
      return z.NEVER;
    }
    limits[kind] = Number(count);
  }
  return { ...defaultLimits, ...limits };
}

/** Settings that do not go together, a sentence for each. */
function conflictsOf({
  signInHeader,
  trustedProxies,
  httpsPort,
  agentPort,
  databaseUrl,
  roles,
}: {
  readonly signInHeader: string | undefined;
  readonly trustedProxies: readonly string[];
  readonly httpsPort: number;
  readonly agentPort: number;
  readonly databaseUrl: string | undefined;
  readonly roles: ReadonlySet<Role>;
}): readonly string[] {
  const problems: string[] = [];
  if (signInHeader !== undefined && trustedProxies.length === 0)
    problems.push(
      'VANTAGE_SIGN_IN_HEADER counts from trusted proxies only: set VANTAGE_TRUSTED_PROXIES, too',
    );
  if (roles.size < allRoles.length && databaseUrl === undefined)
    problems.push(
      'VANTAGE_ROLES needs VANTAGE_DATABASE_URL: the embedded PostgreSQL is for one process with all roles',
    );
  if (httpsPort !== 0 && httpsPort === agentPort)
    problems.push('VANTAGE_HTTPS_PORT and VANTAGE_AGENT_PORT must differ');
  return problems;
}
