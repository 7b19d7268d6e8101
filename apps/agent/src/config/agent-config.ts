import path from 'node:path';
import {
  type Accepted,
  commonSettings,
  createSettingsReader,
  type logLevels,
  messageOf,
  Secret,
} from '@vantage/kernel';
import { z } from 'zod';
import { identityFolder } from '../enrol/identity-folder.ts';

export interface AgentConfig {
  /** `https://host:port` of each controller. */
  readonly endpoints: readonly string[];
  /** Undefined: the agent has enrolled already. */
  readonly token: Secret | undefined;
  /** PEM; undefined: the system's certificates. */
  readonly ca: string | undefined;
  /** The HTTP proxy between agent and controllers, `http://[user:password@]host:port`; undefined: none. */
  readonly proxy: Secret | undefined;
  /** Absolute. */
  readonly dataDir: string;
  /** The absolute path of the policy file; undefined: none. */
  readonly policyFile: string | undefined;
  /** The text of the policy file. */
  readonly policyText: string | undefined;
  /** The absolute path of the file with the secrets of this host; undefined: none. */
  readonly secretsFile: string | undefined;
  /** The absolute path of the public release key; undefined: none. */
  readonly releaseKeyFile: string | undefined;
  readonly concurrency: number;
  readonly outboxBytes: number;
  /** Port on loopback for the metrics of this process; undefined: none. */
  readonly metricsPort: number | undefined;
  readonly logLevel: (typeof logLevels)[number];
  /** The factor by which configured intervals are shortened; 1 outside tests. */
  readonly testTimeScale: number;
}

/** The settings, or all their problems. */
export type AgentConfigResult =
  | { readonly ok: true; readonly config: AgentConfig }
  | { readonly ok: false; readonly problems: readonly string[] };

const whole = (min: number, max: number): Accepted<number> => [
  z
    .string()
    .regex(/^\d{1,6}$/)
    .transform(Number)
    .refine((value) => value >= min && value <= max),
  `a whole number from ${min} to ${max}`,
];

/** The accepted values of each setting, with their description. */
const accepted = {
  VANTAGE_AGENT_ENDPOINTS: [
    z
      .string()
      .transform((text) => text.split(',').map((entry) => entry.trim().replace(/\/$/, '')))
      .refine((all) => all.every(isEndpoint)),
    'https://host:port, several of them comma-separated',
  ],
  VANTAGE_AGENT_TOKEN: [z.string(), 'a token'],
  VANTAGE_AGENT_TOKEN_FILE: [z.string(), 'a file'],
  VANTAGE_CA_FILE: [z.string(), 'a file'],
  VANTAGE_AGENT_PROXY: [
    z
      .string()
      .refine(isProxy)
      .transform((url) => new Secret(url)),
    'http://[user:password@]host:port, the address of an HTTP proxy',
  ],
  VANTAGE_AGENT_DATA: [z.string(), 'a folder'],
  VANTAGE_AGENT_POLICY_FILE: [z.string(), 'a file'],
  VANTAGE_AGENT_SECRETS_FILE: [z.string(), 'a file'],
  VANTAGE_AGENT_RELEASE_KEY_FILE: [z.string(), 'a file'],
  VANTAGE_AGENT_CONCURRENCY: whole(1, 10_000),
  VANTAGE_AGENT_OUTBOX_MB: whole(8, 65_536),
  ...commonSettings,
} as const satisfies Record<string, Accepted<unknown>>;

/**
 * Reads the settings from the environment and the optional file. Returns all problems together; unknown names are
 * problems too. Relative paths start at `cwd`.
 */
export function loadConfig(deps: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly readText: (file: string) => string;
}): AgentConfigResult {
  const { given, problems, read } = createSettingsReader(deps);
  const content = (name: string, file: string | undefined): string | undefined => {
    if (file === undefined) return undefined;
    try {
      return deps.readText(path.resolve(deps.cwd, file));
    } catch (error) {
      problems.push(`${name} cannot be read: ${messageOf(error)}`);
      return undefined;
    }
  };
  const endpoints = read('VANTAGE_AGENT_ENDPOINTS', accepted.VANTAGE_AGENT_ENDPOINTS);
  if (given['VANTAGE_AGENT_ENDPOINTS'] === undefined) {
    problems.push('VANTAGE_AGENT_ENDPOINTS is missing: the controllers, as https://host:port');
  }
  const tokenFile = read('VANTAGE_AGENT_TOKEN_FILE', accepted.VANTAGE_AGENT_TOKEN_FILE);
  const token = (
    read('VANTAGE_AGENT_TOKEN', accepted.VANTAGE_AGENT_TOKEN) ??
    content('VANTAGE_AGENT_TOKEN_FILE', tokenFile) ??
    ''
  ).trim();
  const dataDir = path.resolve(
    deps.cwd,
    read('VANTAGE_AGENT_DATA', accepted.VANTAGE_AGENT_DATA) ?? 'agent-data',
  );
  const isMissing = token === '' && tokenFile === undefined;
  if (isMissing && !hasEnrolled(dataDir, deps.readText)) {
    problems.push(
      'VANTAGE_AGENT_TOKEN or VANTAGE_AGENT_TOKEN_FILE is missing: `vantage agents invite` issues a token',
    );
  } else if (!isMissing && !/^[\x21-\x7e]+$/.test(token)) {
    problems.push("the agent's token must be one word of printable characters");
  }
  const secretsFile = read('VANTAGE_AGENT_SECRETS_FILE', accepted.VANTAGE_AGENT_SECRETS_FILE);
  const policyFile = read('VANTAGE_AGENT_POLICY_FILE', accepted.VANTAGE_AGENT_POLICY_FILE);
  const releaseKeyFile = read('VANTAGE_AGENT_RELEASE_KEY_FILE', accepted.VANTAGE_AGENT_RELEASE_KEY_FILE);
  const config: AgentConfig = {
    endpoints: endpoints ?? [],
    token: isMissing ? undefined : new Secret(token),
    ca: content('VANTAGE_CA_FILE', read('VANTAGE_CA_FILE', accepted.VANTAGE_CA_FILE)),
    proxy: read('VANTAGE_AGENT_PROXY', accepted.VANTAGE_AGENT_PROXY),
    dataDir,
    policyFile: policyFile === undefined ? undefined : path.resolve(deps.cwd, policyFile),
    policyText: content('VANTAGE_AGENT_POLICY_FILE', policyFile),
    secretsFile: secretsFile === undefined ? undefined : path.resolve(deps.cwd, secretsFile),
    releaseKeyFile: releaseKeyFile === undefined ? undefined : path.resolve(deps.cwd, releaseKeyFile),
    concurrency: read('VANTAGE_AGENT_CONCURRENCY', accepted.VANTAGE_AGENT_CONCURRENCY) ?? 500,
    outboxBytes: (read('VANTAGE_AGENT_OUTBOX_MB', accepted.VANTAGE_AGENT_OUTBOX_MB) ?? 256) * 1024 * 1024,
    metricsPort: read('VANTAGE_METRICS_PORT', accepted.VANTAGE_METRICS_PORT),
    logLevel: read('VANTAGE_LOG_LEVEL', accepted.VANTAGE_LOG_LEVEL) ?? 'info',
    testTimeScale: read('VANTAGE_TEST_TIME_SCALE', accepted.VANTAGE_TEST_TIME_SCALE) ?? 1,
  };
  return problems.length === 0 ? { ok: true, config } : { ok: false, problems };
}

/** Whether the agent of this folder has a certificate and therefore needs no token. */
function hasEnrolled(dataDir: string, readText: (file: string) => string): boolean {
  try {
    return readText(path.join(dataDir, identityFolder, 'agent.crt')) !== '';
  } catch {
    return false;
  }
}

function isEndpoint(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null &&
    url.protocol === 'https:' &&
    url.pathname === '/' &&
    url.search === '' &&
    url.username === ''
  );
}

function isProxy(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && url.protocol === 'http:' && url.pathname === '/' && url.search === '';
}
