import type { Route } from '@vantage/rest-kit/route';
import { sessionCookieName } from '@vantage/rest-kit/session-cookie';
import { withKey } from './openapi-operation.ts';

const tags: Readonly<Record<string, string>> = {
  Service: 'The service itself.',
  Checks: 'Records of checks, and checks on request.',
  Devices: 'What is monitored: a Method, a URL and settings.',
  Events: 'The history of changes.',
  Maintenance: 'Starting and stopping maintenance.',
  Marks: 'What happened, for the time axis of devices.',
  Outages: 'Times in which devices were Down.',
  Uptime: 'How long devices were Up.',
  Statistics: 'Figures of checks.',
  Tags: 'Groups of devices.',
  Account: 'The account of the key.',
  Locations: 'Vantage points from which agents check.',
  Agents: 'The programs that run the checks.',
  Audit: 'Who changed what.',
  Batch: 'Many requests in one.',
  Alerts: 'Decisions to notify people.',
  Contacts: 'Where notifications go.',
  Hooks: 'Where every event goes.',
  'Status pages': 'How devices are, for people without a key.',
  'Monthly reports': 'Uptime and outages of a month, by mail to contacts.',
  'Maintenance schedules': 'Maintenance windows that recur.',
  'Notification schedules': 'Who is notified, when and how often.',
  Keys: 'Keys of the API.',
  Users: 'People who sign in.',
  Sessions: 'Signing in with a browser.',
  Secrets: 'Write-only values for Options and scripts.',
};

export function frameOf(routes: readonly Route[]) {
  const used = [...new Set(routes.map(({ tag }) => tag))];
  return {
    openapi: '3.1.0' as const,
    info: {
      title: 'Device Monitoring Service API',
      version: '1.1',
      description: `Served by Vantage {version}. A successful answer is 200. Every request that fails by the caller's fault is 400 with \`code\` and \`message\`. Deprecated parts work for at least one more year, and as long as the path begins with \`/v1.1\`. Answers may get new fields at any time.`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/v1.1', description: 'The controller that serves this document.' }],
    tags: used.map((name) => ({ name, description: tags[name] ?? name })),
    security: [...withKey, { session: [] }],
  };
}

export const securitySchemes = {
  apiKeyHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'Service-API-Key',
    description: 'The key of the account. This form is recommended.',
  },
  apiKeyQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'api_key',
    description: 'The key of the account, for clients that cannot send a header.',
  },
  basic: {
    type: 'http',
    scheme: 'basic',
    description: 'In addition to the key, if it has a user name and a password.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookieName,
    description:
      'For web pages of this controller: the cookie of `POST /session`. Changes need the header X-CSRF-Token, too.',
  },
} as const;
