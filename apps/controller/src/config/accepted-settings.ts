import { isIP } from 'node:net';
import { contactTypes } from '@vantage/alerts';
import { type AccountLimits, addressesOf, defaultLimits, readReleaseKey } from '@vantage/domain';
import { type Accepted, acceptedPort, commonSettings, isNetwork } from '@vantage/kernel';
import { minPackDays } from '@vantage/storage/packed/pack-age';
import { z } from 'zod';
import { allRoles, type Role } from './controller-roles.ts';
import { acceptedDatabase } from './database-settings.ts';
import { acceptedOidc } from './oidc-settings.ts';

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
export function isMailbox(text: string): boolean {
  const named = /^[^<>"\p{Cc}]{1,100} <([^<>]+)>$/u.exec(text)?.[1];
  return contactTypes.email.addressFault(named ?? text, { allowPrivate: false }) === null;
}

/** The origin of a URL, as browsers write it. */
function originOf(text: string): string | undefined {
  return URL.canParse(text) ? new URL(text).origin : undefined;
}

/** The settings with the values that they accept, also in words. */
export const accepted = {
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
      .refine((all) => all.length > 0 && all.every((address) => /^https:\/\/[^/?#@]+$/.test(address)))
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
      .refine((days) => days === 'never' || (days >= minPackDays && days <= 3650)),
    'days: 1 to 3650, or never',
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
  VANTAGE_ALLOW_PRIVATE_WEBHOOKS: [
    z.enum(['true', 'false']).transform((text) => text === 'true'),
    'true or false',
  ],
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

/** Reads `devices=200000,tags=500`. The other kinds keep their default limits. */
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
