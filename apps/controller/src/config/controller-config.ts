import type { KeyObject } from 'node:crypto';
import path from 'node:path';
import { type AccountLimits, defaultLimits } from '@vantage/domain';
import { createSettingsReader, type logLevels } from '@vantage/kernel';
import { accepted } from './accepted-settings.ts';
import { allRoles, type Role } from './controller-roles.ts';
import { type DatabaseSettings, readDatabase } from './database-settings.ts';
import { type OidcSettings, readOidc } from './oidc-settings.ts';

/** The controller's settings after validation. */
export interface ControllerConfig extends DatabaseSettings {
  /** Absolute. */
  readonly dataDir: string;
  readonly httpsPort: number;
  readonly agentPort: number;
  /** undefined: all addresses, IPv6 and IPv4. */
  readonly listen: string | undefined;
  /** The roles of the controller that run in this process. */
  readonly roles: ReadonlySet<Role>;
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly tlsNames: readonly string[];
  /** The addresses at which agents reach this controller, `https://host:port`; empty: the names of this machine. */
  readonly agentUrls: readonly string[];
  /** The folder with the parcels of the agent. */
  readonly parcels: string;
  /** A missing parcel for hosts like this one is built here, because the operator named no folder. */
  readonly makesParcel: boolean;
  /** The public release key, as text and key; undefined: agents are not upgraded remotely. */
  readonly releaseKey: { readonly line: string; readonly key: KeyObject } | undefined;
  readonly trustedProxies: readonly string[];
  /** The header in which a trusted proxy names the person it signed in; undefined: none. */
  readonly signInHeader: string | undefined;
  readonly apiKeyHeaders: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly retentionDays: number;
  readonly accountLimits: AccountLimits;
  /** The checks of a day are packed this many days after its end. */
  readonly packAfterDays: number | 'never';
  /** The maximum age of the last backup before people are notified; 0: no limit. */
  readonly backupMaxDays: number;
  readonly secretKeyFile: string;
  /** The operator gives up the values that the key cannot open. */
  readonly secretKeyLost: boolean;
  /** Webhooks may go to loopback and private addresses, and by plain HTTP; undefined: not set here. */
  readonly allowPrivateWebhooks: boolean | undefined;
  /** The SMTP server for e-mails; undefined: not set here. */
  readonly smtpUrl: string | undefined;
  /** `Vantage <vantage@example.org>`, or the address alone; undefined: not set here. */
  readonly mailFrom: string | undefined;
  /** A Bot API other than Telegram's, without a trailing slash; undefined: Telegram's. */
  readonly telegramUrl: string | undefined;
  /** The address at which people reach the API, without a trailing slash; undefined: the controller's address. */
  readonly publicUrl: string | undefined;
  /** Called every minute while all work makes progress; undefined: none. */
  readonly heartbeatUrl: string | undefined;
  /** The port on loopback for the metrics of this process; undefined: none. */
  readonly metricsPort: number | undefined;
  /** The base address of an OpenTelemetry collector; undefined: no traces. */
  readonly otlpUrl: string | undefined;
  readonly logLevel: (typeof logLevels)[number];
  /** undefined: no provider signs people in. */
  readonly oidc: OidcSettings | undefined;
  /** The factor by which configured intervals are shortened; 1 outside tests. */
  readonly testTimeScale: number;
}

/** The settings, or all their faults. */
export type ControllerConfigResult =
  | { readonly ok: true; readonly config: ControllerConfig }
  | { readonly ok: false; readonly problems: readonly string[] };

/** The output folder of `npm run parcel`. */
const defaultParcels = path.resolve(import.meta.dirname, '../../../../agent-installer/dist');

/**
 * Reads the settings from the environment and the optional file. The result lists all faults, including unknown names.
 * Relative paths start at `cwd`.
 */
export function loadConfig(deps: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly readText: (file: string) => string;
}): ControllerConfigResult {
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
  const config: ControllerConfig = {
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
    allowPrivateWebhooks: read('VANTAGE_ALLOW_PRIVATE_WEBHOOKS', accepted.VANTAGE_ALLOW_PRIVATE_WEBHOOKS),
    smtpUrl: read('VANTAGE_SMTP_URL', accepted.VANTAGE_SMTP_URL),
    mailFrom: read('VANTAGE_MAIL_FROM', accepted.VANTAGE_MAIL_FROM),
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
