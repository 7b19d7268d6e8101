import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { secretReference } from '@vantage/domain';
import { describe, expect, it } from 'vitest';
import { buildApplyFile } from '../apply-file/build-apply-file.ts';
import { createKumaDatabase } from '../testing/fake-kuma-database.ts';
import { readKuma } from './read-kuma.ts';

const monitors = [
  { name: 'Shop', type: 'group' },
  { name: 'Berlin', type: 'group', parent: 1 },
  {
    name: 'Front page',
    type: 'http',
    url: 'https://shop.example.org/',
    interval: 60,
    maxretries: 3,
    retry_interval: 30,
    timeout: 48,
    parent: 2,
  },
  {
    name: 'Cart',
    type: 'keyword',
    url: 'https://shop.example.org/cart',
    keyword: 'broken',
    invert_keyword: 1,
    interval: 25,
    headers: '{"X-Trace": "yes", "apikey": "k-123456"}',
  },
  {
    name: 'Health',
    type: 'json-query',
    url: 'https://shop.example.org/health',
    json_path: '$.db.state',
    expected_value: 'ok',
    basic_auth_user: 'mon',
    basic_auth_pass: 'pass word',
    auth_method: 'basic',
    ignore_tls: 1,
    interval: 90,
  },
  {
    name: 'Sum',
    type: 'json-query',
    url: 'https://shop.example.org/sum',
    json_path: '$sum(items.count)',
    expected_value: '3',
  },
  { name: 'Router', type: 'ping', hostname: '2001:db8::1', interval: 300, packet_size: 100, active: 0 },
  { name: 'SSH', type: 'port', hostname: 'host.example.org', port: 22, interval: 3600 },
  {
    name: 'MX',
    type: 'dns',
    hostname: 'example.org',
    dns_resolve_type: 'MX',
    dns_resolve_server: '192.0.2.53,192.0.2.54',
    port: 53,
  },
  {
    name: 'Orders',
    type: 'mysql',
    database_connection_string: 'mysql://app:geheim@db.example.org:3307/orders',
    database_query: 'SELECT 1',
  },
  { name: 'Cache', type: 'redis', database_connection_string: 'redis://cache.example.org:6379' },
  {
    name: 'Wiki DB',
    type: 'postgres',
    database_connection_string: 'postgres://wiki:pw@pg.example.org/wiki?sslmode=require',
  },
  { name: 'Backup job', type: 'push' },
  { name: 'Container', type: 'docker', docker_container: 'web' },
  { name: 'Closed port', type: 'port', hostname: 'host.example.org', port: 23, upside_down: 1 },
  { name: 'Behind proxy', type: 'http', url: 'http://intra.example.org/', proxy_id: 1 },
  {
    name: 'Posted',
    type: 'http',
    url: 'https://api.example.org/v1',
    method: 'POST',
    body: '{"a": 1}',
    http_body_encoding: 'json',
  },
];

function fill(database: ReturnType<typeof createKumaDatabase>): void {
  for (const [at, monitor] of monitors.entries()) database.insert('monitor', { id: at + 1, ...monitor });
  database.insert('tag', { id: 1, name: 'env', color: '#fff' });
  database.insert('tag', { id: 2, name: 'PCI', color: '#fff' });
  database.insert('monitor_tag', { monitor_id: 3, tag_id: 1, value: 'prod' });
  database.insert('monitor_tag', { monitor_id: 3, tag_id: 2, value: '' });
  database.insert('proxy', {
    id: 1,
    protocol: 'http',
    host: 'proxy.example.org',
    port: 3128,
    auth: 1,
    username: 'u',
    password: 'p@ss',
  });
  database.insert('notification', { id: 1, name: 'Mail', config: '{}' });
}

describe('Uptime Kuma', () => {
  it.each([1, 2] as const)(
    'each monitor of a database of %i.x is a device, a tag, or refused by name',
    async (version) => {
      using database = createKumaDatabase(version);
      fill(database);
      const outcome = await buildApplyFile(readKuma(database.file), 'kuma');
      const { devices, tags } = outcome.file;
      expect(outcome.read).toBe(monitors.length);
      expect([devices.length, outcome.became.length, outcome.refused.length]).toEqual([12, 2, 3]);
      expect(outcome.refused.map(({ name }) => name)).toEqual(['Sum', 'Container', 'Closed port']);
      expect(outcome.became.map(({ text }) => text)).toEqual(['the tag "Shop"', 'the tag "Shop/Berlin"']);
      expect(tags.map(({ Name }) => Name)).toEqual(['Shop/Berlin', 'env/prod', 'PCI']);
      expect(outcome.secrets.map(({ name }) => name)).toEqual([
        'kuma-4.Headers.apikey',
        'kuma-5.Password',
        'kuma-10.URL.password',
        'kuma-12.URL.password',
        'kuma-16.Proxy',
      ]);
      expect(JSON.stringify(outcome.file)).not.toMatch(/geheim|pass word|k-123456|p%40ss/);
      expect(outcome.ignored).toEqual([
        'not carried over: 1 notifications (contacts and notification schedules take their place)',
      ]);
      expect(outcome.rounded.filter(({ name }) => name === 'Cart').map(({ text }) => text)).toEqual([
        'interval 25 s became 20 s',
      ]);
    },
  );

  it('a monitor that waits for calls is a device of the Method Push', async () => {
    using database = createKumaDatabase(2);
    database.insert('monitor', {
      id: 1,
      name: 'Backup',
      type: 'push',
      interval: 90,
      maxretries: 2,
      retry_interval: 30,
    });
    const { file, rounded } = await buildApplyFile(readKuma(database.file), 'kuma');
    expect(file.devices[0]).toMatchObject({
      Method: 'Push',
      URL: 'push:',
      Frequency: 1,
      Options: { GraceSeconds: 90 },
    });
    expect(file.devices[0]).not.toHaveProperty('Attempts');
    expect(rounded).toEqual([]);
  });

  it('types, settings and secrets have their places', async () => {
    using database = createKumaDatabase(2);
    fill(database);
    const { devices } = (await buildApplyFile(readKuma(database.file), 'kuma')).file;
    const byName = new Map(devices.map((device) => [device.FullName, device]));
    expect(byName.get('Front page')).toEqual({
      Key: 'kuma-3',
      Method: 'HTTP',
      URL: 'https://shop.example.org/',
      ShortName: 'Fronpage',
      FullName: 'Front page',
      Frequency: 1,
      Timeout: 48,
      Attempts: 4,
      RetryDelay: 30,
      Tags: ['Shop/Berlin', 'env/prod', 'PCI'],
      Options: { ExpectStatus: ['200-299'] },
    });
    expect(byName.get('Cart')?.Options).toEqual({
      ExpectStatus: ['200-299'],
      RejectText: 'broken',
      Headers: { 'X-Trace': 'yes', apikey: secretReference('secret', 'kuma-4.Headers.apikey') },
    });
    expect(byName.get('Health')?.Options).toEqual({
      ExpectStatus: ['200-299'],
      ExpectJSONPath: '$.db.state',
      ExpectJSONValue: 'ok',
      User: 'mon',
      Password: secretReference('secret', 'kuma-5.Password'),
      TLS: { Verify: false },
    });
    expect(byName.get('Router')).toMatchObject({
      URL: '[2001:db8::1]',
      Frequency: 5,
      Enabled: false,
      Options: { Count: 1, Size: 100 },
    });
    expect(byName.get('SSH')).toMatchObject({ Method: 'TCP', URL: 'host.example.org:22', Frequency: 60 });
    expect(byName.get('MX')).toMatchObject({
      Method: 'DNS',
      URL: 'example.org',
      Options: { Type: 'MX', Server: '192.0.2.53' },
    });
    expect(byName.get('Orders')?.URL).toBe(
      `mysql://app:${secretReference('secret', 'kuma-10.URL.password')}@db.example.org:3307/orders`,
    );
    expect(byName.get('Cache')).toMatchObject({ Method: 'Redis', URL: 'redis://cache.example.org:6379' });
    expect(byName.get('Wiki DB')).toMatchObject({
      Method: 'PostgreSQL',
      URL: `postgres://wiki:${secretReference('secret', 'kuma-12.URL.password')}@pg.example.org/wiki`,
      Options: { Query: 'SELECT 1', TLS: { Mode: 'StartTLS', Verify: false } },
    });
    expect(byName.get('Behind proxy')?.Options?.['Proxy']).toBe(secretReference('secret', 'kuma-16.Proxy'));
    expect(byName.get('Posted')?.Options).toMatchObject({
      Method: 'POST',
      Headers: { 'Content-Type': 'application/json' },
    });
  });

  it('a backup of 1.x leads to the same devices as its database', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'vantage-kuma-'));
    try {
      const file = path.join(folder, 'backup.json');
      const camel = (name: string) =>
        name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
      const monitorList = monitors.map((monitor, at) => ({
        id: at + 1,
        interval: 20,
        active: !('active' in monitor),
        accepted_statuscodes: ['200-299'],
        tags:
          at === 2
            ? [
                { name: 'env', value: 'prod' },
                { name: 'PCI', value: '' },
              ]
            : [],
        ...Object.fromEntries(
          Object.entries(monitor).flatMap(([name, value]) =>
            name === 'active'
              ? []
              : [[['basic_auth_user', 'basic_auth_pass'].includes(name) ? name : camel(name), value]],
          ),
        ),
      }));
      const proxyList = [
        {
          id: 1,
          protocol: 'http',
          host: 'proxy.example.org',
          port: 3128,
          auth: true,
          username: 'u',
          password: 'p@ss',
        },
      ];
      writeFileSync(
        file,
        JSON.stringify({ version: '1.23.13', notificationList: [], monitorList, proxyList }),
      );
      using database = createKumaDatabase(1);
      fill(database);
      const [backup, whole] = [
        await buildApplyFile(readKuma(file), 'kuma'),
        await buildApplyFile(readKuma(database.file), 'kuma'),
      ];
      expect(backup.file).toEqual(whole.file);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('a file that is no database of Kuma is refused with what is accepted', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'vantage-kuma-'));
    try {
      const file = path.join(folder, 'kuma.db');
      writeFileSync(file, 'SQLite format 3\0 and nothing else');
      expect(() => readKuma(file)).toThrow(/cannot be read as a database .*accepted is kuma\.db/);
      writeFileSync(file, '{"monitors": []}');
      expect(() => readKuma(file)).toThrow(/has no monitorList; accepted is kuma\.db/);
      writeFileSync(file, '{"monitorList": [{"id": 1}]}');
      expect(() => readKuma(file)).toThrow(/monitorList\[0\] has no id or no type/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it.each([
    ['==', '42', { Expect: '42' }, []],
    ['>=', '42', { Min: 42 }, []],
    ['<', '42', { Max: 42 }, ['a value of exactly 42 is good here']],
    ['contains', 'up', {}, ['its condition contains up']],
  ])('an SNMP monitor with %s %s', async (operator, expected, expectation, lost) => {
    using database = createKumaDatabase(2);
    database.insert('monitor', {
      id: 1,
      name: 'Switch',
      type: 'snmp',
      hostname: 'switch.example.org',
      port: 161,
      radius_password: 'my community',
      snmp_oid: '1.3.6.1.2.1.1.3.0',
      snmp_version: '2c',
      json_path: '$',
      json_path_operator: operator,
      expected_value: expected,
    });
    expect(readKuma(database.file).checks).toMatchObject([
      {
        method: 'SNMP',
        url: 'switch.example.org',
        options: {
          Version: 'v2c',
          Community: 'my community',
          Values: [{ OID: '1.3.6.1.2.1.1.3.0', ...expectation }],
        },
        lost,
      },
    ]);
    const outcome = await buildApplyFile(readKuma(database.file), 'kuma');
    expect(outcome.secrets.map(({ name }) => name)).toEqual(['kuma-1.Community']);
  });
});
