import { expect, test } from 'vitest';
import type { CallOptions } from '../../contract/probe.ts';
import { checkFunctions } from '../../engine/registry.ts';
import { readCall } from './read-call.ts';

test.each([
  ['tcp', { host: 'db', port: 5432 }, { method: 'TCP', url: 'db:5432', options: {} }],
  ['tcp', { host: '2001:db8::1', port: 1 }, { method: 'TCP', url: '[2001:db8::1]:1', options: {} }],
  ['ping', { host: 'db', count: 2 }, { method: 'PING', url: 'db', options: { count: 2 } }],
  ['smtp', { url: 'smtps://mail' }, { method: 'SMTP', url: 'smtps://mail', options: {} }],
  ['imap', { host: 'm', timeout: 50 }, { method: 'IMAP4', url: 'm', options: {}, timeoutMs: 50 }],
  [
    'dns',
    { name: 'a.example', server: '::1' },
    { method: 'DNS', url: 'a.example', options: { server: '::1' } },
  ],
  [
    'tls',
    { host: 'x', port: 443, minDaysLeft: 14, steps: [] },
    { method: 'TCP', url: 'x:443', options: { steps: [], tls: { Mode: 'Implicit', minDaysLeft: 14 } } },
  ],
  [
    'http',
    { url: 'http://x', body: { a: 1 }, headers: { X: 'y' } },
    {
      method: 'HTTP',
      url: 'http://x',
      options: { body: '{"a":1}', headers: { X: 'y', 'Content-Type': 'application/json' } },
    },
  ],
  [
    'http',
    { url: 'http://x', body: [1], headers: { 'content-type': 'x/y' } },
    { method: 'HTTP', url: 'http://x', options: { body: '[1]', headers: { 'content-type': 'x/y' } } },
  ],
  [
    'smtp',
    { host: 'm', rcptTo: 'a@b', message: 'Subject: x' },
    { method: 'SMTP', url: 'm', options: { rcptTo: 'a@b' }, message: 'Subject: x' },
  ],
])('%s(%j) asks for a check', (name, options, request) => {
  expect(readCall(checkFunctions, name, options)).toEqual(request);
});

test.each<[string, CallOptions, string]>([
  ['http', {}, 'http(): url is missing'],
  ['http', { host: 'x' }, 'http(): it takes url, not host and port'],
  ['http', { url: 'http://x', port: 80 }, 'http(): it takes url, not host and port'],
  ['dns', { host: 'x' }, 'dns(): it takes name, not host and port'],
  ['dns', {}, 'dns(): name is missing'],
  ['dns', { url: 'dns://x/y', name: 'y' }, 'dns(): it takes url or name, not both'],
  ['smtp', { url: 'smtp://x', host: 'y' }, 'smtp(): it takes url or host and port, not both'],
  ['smtp', { host: 5 }, 'smtp(): host must be a text'],
  ['smtp', { url: null }, 'smtp(): url must be a text'],
  ...[null, '25', 0, 1.5, 65_536, true, [25]].map((port): [string, CallOptions, string] => [
    'smtp',
    { host: 'x', port },
    'smtp(): port must be a number from 1 to 65535',
  ]),
  ['tcp', { port: 1 }, 'tcp(): host is missing'],
  ['dns', { name: 1 }, 'dns(): name must be a text'],
  ['tcp', { host: 'x', timeout: '5' }, 'tcp(): timeout is milliseconds up to 120000'],
  ['smtp', { host: 'x', message: 'x' }, 'message needs a rcptTo'],
  ['tcp', { host: 'x', message: 'x' }, 'for smtp() only'],
  ['exec', { host: 'x' }, 'exec() is not known to this agent'],
  ['constructor', { host: 'x' }, 'constructor() is not known to this agent'],
])('%s(%j) is refused', (name, options, why) => {
  expect(readCall(checkFunctions, name, options)).toContain(why);
});
