import { secretReference } from '@vantage/domain';
import { describe, expect, it } from 'vitest';
import { settle } from '../settle.ts';
import { withFile } from '../testing/with-file.ts';
import { readGatus } from './read-gatus.ts';

const sample = `
alerting: { slack: { webhook-url: "https://hooks.example.org/x" } }
endpoints:
  - name: front
    group: core
    url: https://shop.example.org/health
    interval: 5m
    headers: { Authorization: Bearer abcdefgh, X-Trace: "1" }
    client: { insecure: true, timeout: 3s, ignore-redirect: true }
    alerts: [{ type: slack, failure-threshold: 4 }]
    conditions:
      - "[STATUS] == 200"
      - "[BODY].state.db == UP"
      - "[RESPONSE_TIME] < 300"
      - "[CERTIFICATE_EXPIRATION] > 49h"
      - "[DOMAIN_EXPIRATION] > 720h"
  - name: texts
    url: http://shop.example.org/
    conditions: ["[STATUS] < 300", "[BODY] == pat(*Welcome (here)*)"]
  - { name: ping, url: "icmp://10.0.0.1", interval: 90s, conditions: ["[CONNECTED] == true", "[RESPONSE_TIME] < 50"] }
  - { name: db, url: "tcp://db.example.org:5432", enabled: false, conditions: ["[CONNECTED] == true"] }
  - { name: mx, url: "192.0.2.53", dns: { query-name: example.org, query-type: MX }, conditions: ["[DNS_RCODE] == NOERROR"] }
  - { name: shell, url: "ssh://host.example.org:22", ssh: { username: mon, password: geheim }, body: '{"command": "uptime"}', conditions: ["[STATUS] == 0"] }
  - { name: mail, url: "starttls://mail.example.org:587", conditions: ["[CERTIFICATE_EXPIRATION] > 24h"] }
  - { name: live, url: "wss://live.example.org/feed", conditions: ["[CONNECTED] == true"] }
  - { name: time, url: "udp://ntp.example.org:123", conditions: ["[CONNECTED] == true"] }
external-endpoints:
  - { name: job, token: abc }
`;

describe('Gatus', () => {
  it('each endpoint is a device or refused by name; conditions become Options or are named', async () => {
    const settled = await withFile(sample, (file) => settle(readGatus(file), 'gatus'));
    expect([settled.read, settled.file.devices.length, settled.refused.length]).toEqual([10, 8, 2]);
    const [front, texts, ping, db, mx, shell, mail, live] = settled.file.devices;
    expect(front).toEqual({
      Key: 'core/front',
      Method: 'HTTP',
      URL: 'https://shop.example.org/health',
      ShortName: 'front',
      FullName: 'front',
      Frequency: 5,
      Timeout: 3,
      Retries: 3,
      Tags: ['core'],
      Options: {
        Headers: {
          Authorization: secretReference('secret', 'core-front.Headers.Authorization'),
          'X-Trace': '1',
        },
        MaxRedirects: 0,
        ExpectStatus: ['200'],
        ExpectJSONPath: '$.state.db',
        ExpectJSONValue: 'UP',
        MaxTimeMs: 300,
        TLS: { Verify: false, MinDaysLeft: 3 },
      },
    });
    expect(texts?.Options).toEqual({ ExpectStatus: ['100-299'], ExpectText: 'Welcome (here)' });
    expect(ping).toMatchObject({ Method: 'PING', URL: '10.0.0.1', Options: { Count: 1, MaxRTTMs: 50 } });
    expect(db).toMatchObject({ URL: 'tcp://db.example.org:5432', Enabled: false });
    expect(mx).toMatchObject({
      URL: 'example.org',
      Options: { Server: '192.0.2.53', Type: 'MX', ExpectRcode: 'NOERROR' },
    });
    expect(shell).toMatchObject({
      Method: 'SSH',
      URL: 'host.example.org:22',
      Options: { User: 'mon', Command: 'uptime' },
    });
    expect(mail).toMatchObject({ Method: 'SMTP', Options: { TLS: { Mode: 'StartTLS', MinDaysLeft: 1 } } });
    expect(live).toMatchObject({ Method: 'TCP', URL: 'tls://live.example.org:443' });
    expect(settled.refused.map(({ at, name }) => [at, name])).toEqual([
      ['line 26, endpoints[8]', 'time'],
      ['external-endpoints[0]', 'job'],
    ]);
    expect(settled.lost.map(({ name, text }) => `${name}: ${text}`)).toEqual([
      'front: the condition "[DOMAIN_EXPIRATION] > 720h"',
      'front: its alerts (a notification schedule takes their place)',
      'shell: the condition "[STATUS] == 0"',
      'live: only its port is checked: the WebSocket is not',
    ]);
    expect(settled.ignored).toEqual(['not carried over: alerting']);
    expect(JSON.stringify(settled.file)).not.toMatch(/geheim|abcdefgh/);
  });

  it.each([
    ['endpoints: [', /:1:\d+ is no YAML/],
    ['services: []', /has no list endpoints; accepted is the configuration of Gatus/],
    [`endpoints: ${'['.repeat(100)}${']'.repeat(100)}`, /nested deeper than 64 levels/],
  ])('a file that is none is refused with its place %#', async (text, message) => {
    await expect(withFile(text, async (file) => readGatus(file))).rejects.toThrow(message);
  });
});
