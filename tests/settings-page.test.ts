import { readFileSync } from 'node:fs';
import path from 'node:path';
import { settings } from '@vantage/kernel';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');

/** The settings by purpose. */
const purposes: Readonly<Record<string, readonly string[]>> = {
  'Data and logs': ['VANTAGE_DATA', 'VANTAGE_SETTINGS_FILE', 'VANTAGE_LOG_LEVEL'],
  'Roles, ports, addresses and certificates': [
    'VANTAGE_HTTPS_PORT',
    'VANTAGE_AGENT_PORT',
    'VANTAGE_LISTEN',
    'VANTAGE_ROLES',
    'VANTAGE_PUBLIC_URL',
    'VANTAGE_AGENT_URL',
    'VANTAGE_TLS_CERT',
    'VANTAGE_TLS_KEY',
    'VANTAGE_TLS_NAMES',
    'VANTAGE_TRUSTED_PROXIES',
  ],
  'Database, retention and backups': [
    'VANTAGE_DATABASE_URL',
    'VANTAGE_DATABASE_READ_URL',
    'VANTAGE_DATABASE_READ_MAX_SECONDS',
    'VANTAGE_RETENTION_DAYS',
    'VANTAGE_PACK_AFTER_DAYS',
    'VANTAGE_BACKUP_MAX_DAYS',
    'VANTAGE_SECRET_KEY_FILE',
    'VANTAGE_SECRET_KEY_LOST',
  ],
  Access: [
    'VANTAGE_SIGN_IN_HEADER',
    'VANTAGE_OIDC_ISSUER',
    'VANTAGE_OIDC_CLIENT_ID',
    'VANTAGE_OIDC_CLIENT_SECRET_FILE',
    'VANTAGE_OIDC_GROUPS',
    'VANTAGE_OIDC_ACCOUNT',
    'VANTAGE_OIDC_ALLOW_UNVERIFIED_EMAIL',
    'VANTAGE_API_KEY_HEADERS',
    'VANTAGE_CORS_ORIGINS',
    'VANTAGE_ACCOUNT_LIMITS',
  ],
  Notifications: [
    'VANTAGE_SMTP_URL',
    'VANTAGE_MAIL_FROM',
    'VANTAGE_TELEGRAM_URL',
    'VANTAGE_ALLOW_PRIVATE_WEBHOOKS',
    'VANTAGE_HEARTBEAT_URL',
  ],
  'Monitoring Vantage': ['VANTAGE_METRICS_PORT', 'VANTAGE_OTLP_URL'],
  'Agents, at the controller': ['VANTAGE_PARCELS', 'VANTAGE_RELEASE_PUBLIC_KEY'],
  'Agents, at their host': [
    'VANTAGE_AGENT_ENDPOINTS',
    'VANTAGE_AGENT_TOKEN',
    'VANTAGE_AGENT_TOKEN_FILE',
    'VANTAGE_CA_FILE',
    'VANTAGE_AGENT_PROXY',
    'VANTAGE_AGENT_DATA',
    'VANTAGE_AGENT_POLICY_FILE',
    'VANTAGE_AGENT_RELEASE_KEY_FILE',
    'VANTAGE_AGENT_SECRETS_FILE',
    'VANTAGE_AGENT_CONCURRENCY',
    'VANTAGE_AGENT_OUTBOX_MB',
  ],
  'Remote commands': ['VANTAGE_SERVER', 'VANTAGE_KEY', 'VANTAGE_CA', 'VANTAGE_PUSH_URL'],
  'Tests of Vantage': ['VANTAGE_TEST_TIME_SCALE'],
};

const head = `# Settings

Settings are environment variables, or lines \`NAME=value\` of the file that \`VANTAGE_SETTINGS_FILE\` names. The environment takes precedence. Vantage refuses unknown settings and wrong values by name.
\`./vantage help settings\` shows the same list. The column "read by" names the program; \`both\` means controller and agent. \`npm run gen:docs\` generates this page.
`;

function row(name: string): string {
  const setting = settings[name];
  return setting === undefined
    ? `| \`${name}\` | unknown |`
    : `| \`${name}\` | ${setting.reader} | ${setting.otherwise || '–'} | ${setting.about} |`;
}

test('docs/settings.md has each setting by its purpose (npm run gen:docs)', async () => {
  const sections = Object.entries(purposes).map(
    ([title, names]) =>
      `\n## ${title}\n\n| setting | read by | default | meaning |\n|---|---|---|---|\n${names.map(row).join('\n')}\n`,
  );
  await expect(head + sections.join('')).toMatchFileSnapshot('../docs/settings.md');
});

test('each setting stands in one purpose', () => {
  expect(Object.values(purposes).flat().sort()).toEqual(Object.keys(settings).sort());
});

test('the README fits on three screens and leads to the settings', () => {
  const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(90);
  expect(readme).toContain('](docs/settings.md)');
});
