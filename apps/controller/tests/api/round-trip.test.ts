import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createRestFixture, type RestFixture } from '../../src/testing/rest-fixture.ts';
import { createSampleAccount, type SampleAccount } from '../../src/testing/sample-account.ts';

describe('a resource that is sent back as it was read', () => {
  let rest: RestFixture;
  let key: string;
  let mine: SampleAccount;
  beforeAll(async () => {
    rest = await createRestFixture();
    const account = await rest.account('mine', 'Europe/Berlin');
    ({ key } = await rest.key(account.accountNo, 'UA'));
    mine = await createSampleAccount(rest, account, key);
  });
  afterAll(() => rest[Symbol.asyncDispose]());

  /** Everything that is stored of the catalog, and the events. */
  const stored = async () => {
    const { kysely } = rest.db;
    const tables = ['accounts', 'locations', 'agents', 'devices', 'device_locations', 'tags'] as const;
    const others = ['device_tags', 'secrets', 'device_state', 'status_intervals', 'events'] as const;
    const alerting = ['contacts', 'nschedules', 'mschedules', 'hooks', 'pages', 'reports'] as const;
    const rows: Record<string, unknown> = {};
    for (const table of [...tables, ...others, ...alerting])
      rows[table] = (await kysely.selectFrom(table).selectAll().execute())
        .map((row) => JSON.stringify(row))
        .sort();
    return rows;
  };
  const expectUnchanged = async (path: string) => {
    const before = await stored();
    const changes = rest.recorded.length;
    await rest.clock.advance(1_000);
    const first = await rest.send('GET', path, { key });
    expect(first.status).toBe(200);
    const put = await rest.send('PUT', path, { key, raw: first.text });
    expect([put.status, put.text]).toEqual([200, first.text]);
    const again = await rest.send('GET', path, { key });
    expect(again.text).toBe(first.text);
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'));
    expect(await stored()).toEqual(before);
    expect(rest.recorded.length).toBe(changes);
  };

  it('changes nothing and is answered byte for byte, for every resource with GET and PUT', async () => {
    const paths = (method: string) =>
      rest.routes.filter((route) => route.method === method).map(({ path }) => path);
    const both = paths('GET').filter((path) => path !== '/devices' && paths('PUT').includes(path));
    expect(both).toEqual(expect.arrayContaining(['/account', '/devices/{device_id}', '/tags/{tag_id}']));
    for (const path of both)
      await expectUnchanged(path.replaceAll(/\{(\w+)\}/g, (_, name: string) => mine.ids[name] ?? ''));
  });

  const methods: readonly (readonly [string, string, object])[] = [
    [
      'HTTP',
      'https://me:pw@example.org/x',
      { Headers: { Cookie: 'a=1', Accept: '*/*' }, ExpectStatus: ['200'] },
    ],
    ['HTTP', 'https://example.org/', {}],
    ['PING', 'example.org', { Count: 2 }],
    ['SMTP', 'smtp://u:pw@mail.example:25', {}],
    ['POP3', 'mail.example', {}],
    ['IMAP4', 'imaps://u:pw@mail.example', {}],
    ['MySQL', 'mysql://u:pw@db.example', {}],
    ['FTP', 'ftp.example', {}],
    ['TELNET', 'host.example', {}],
    ['SSH', 'host.example:22', {}],
    ['NNTP', 'news.example', {}],
    ['TCP', '[2001:db8::1]:9', {}],
    ['DNS', 'example.org', {}],
    ['SNMP', 'switch.example', { Community: 'pw', Interfaces: [{ Name: 'Gi1', MaxUtilisation: 80 }] }],
    ['UDP', 'game.example:27015', { SendHex: 'ff ff' }],
    ['NTP', 'ntp.example', { MaxOffsetMs: 50, MaxStratum: 3 }],
    ['LDAP', 'ldaps://cn=u:pw@ldap.example', { Base: 'dc=example', Filter: '(uid=a)' }],
    ['RADIUS', 'radius.example', { Secret: 'pw', User: 'u', Password: 'pw' }],
    ['SIP', 'sips:sip.example', { User: '100', ExpectStatus: ['200', '404'] }],
    ['Domain', 'domain:example.org', { MinDaysLeft: 14, ExpectStatus: ['active'] }],
    ['Redis', 'rediss://u:pw@cache.example/1', { ExpectRole: 'master' }],
    ['gRPC', 'grpcs://api.example', { Service: 'a.B', Metadata: { authorization: 'Bearer t' } }],
    ['WebSocket', 'wss://u:pw@live.example/feed?token=t', { Headers: { Cookie: 'a=1' } }],
    ['MQTT', 'mqtts://u:pw@broker.example', { Topic: 'a/b', Version: '5' }],
    ['PostgreSQL', 'postgresql://u:pw@pg.example/shop', { Query: 'select 1', TLS: { Mode: 'StartTLS' } }],
    ['Script', 'const a = 1;\n// "two" lines', {}],
  ];

  it.each(methods)('changes nothing for a device of Method %s at %s', async (Method, URL, Options) => {
    const settings = { FullName: 'Größe 1', Tags: [mine.ids['tag_id'] ?? ''], Enabled: false, Frequency: 1 };
    const body = {
      Method,
      URL,
      Options,
      ShortName: 'a',
      ...settings,
      device_master_id: mine.ids['device_id'],
    };
    const { json } = await rest.send('POST', '/devices', { key, body });
    const id = z.object({ device_id: z.string() }).parse(json).device_id;
    await expectUnchanged(`/devices/${id}`);
    await expectUnchanged(`/devices/${id}?WithConfig=Y`);
  });
});
