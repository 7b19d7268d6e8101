import { secretReference } from '@vantage/domain';
import { describe, expect, it } from 'vitest';
import { buildApplyFile } from '../apply-file/build-apply-file.ts';
import { gatusConfiguration } from '../testing/gatus-sample.ts';
import { withFile } from '../testing/with-file.ts';
import { readGatus } from './read-gatus.ts';

describe('Gatus', () => {
  it('each endpoint is a device or refused by name; conditions become Options or are named', async () => {
    const outcome = await withFile(gatusConfiguration, (file) => buildApplyFile(readGatus(file), 'gatus'));
    expect([outcome.read, outcome.file.devices.length, outcome.refused.length]).toEqual([10, 9, 1]);
    const [front, texts, ping, db, mx, shell, mail, live, time] = outcome.file.devices;
    expect(front).toEqual({
      Key: 'core/front',
      Method: 'HTTP',
      URL: 'https://shop.example.org/health',
      ShortName: 'front',
      FullName: 'front',
      Frequency: 5,
      Timeout: 3,
      Attempts: 4,
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
    expect(live).toMatchObject({
      Method: 'WebSocket',
      URL: 'wss://live.example.org/feed',
      Options: { Send: 'hello', ExpectRegex: '^hello \\.$' },
    });
    expect(time).toMatchObject({
      Method: 'UDP',
      URL: 'ntp.example.org:123',
      Options: { AnswerRequired: false },
    });
    expect(outcome.refused.map(({ at, name }) => [at, name])).toEqual([['external-endpoints[0]', 'job']]);
    expect(outcome.lost.map(({ name, text }) => `${name}: ${text}`)).toEqual([
      'front: the condition "[DOMAIN_EXPIRATION] > 720h"',
      'front: its alerts (use a notification schedule)',
      'shell: the condition "[STATUS] == 0"',
    ]);
    expect(outcome.ignored).toEqual(['not carried over: alerting']);
    expect(JSON.stringify(outcome.file)).not.toMatch(/geheim|abcdefgh/);
  });

  it.each([
    ['endpoints: [', /:1:\d+ is not YAML/],
    ['services: []', /has no list endpoints; accepted is the configuration of Gatus/],
    [`endpoints: ${'['.repeat(100)}${']'.repeat(100)}`, /nested deeper than 64 levels/],
  ])('a file that is none is refused with its place %#', async (text, message) => {
    await expect(withFile(text, async (file) => readGatus(file))).rejects.toThrow(message);
  });

  it.each(['> 300', '!= 300', '< 0.5', '< 0', '< soon'])(
    'a response time that no Option can express is named: %s',
    async (condition) => {
      const text = `endpoints: [{ name: a, url: "https://a.example.org", conditions: ["[RESPONSE_TIME] ${condition}"] }]`;
      const { file, lost } = await withFile(text, (path) => buildApplyFile(readGatus(path), 'gatus'));
      expect(file.devices[0]?.Options).not.toHaveProperty('MaxTimeMs');
      expect(lost.map((note) => note.text).join()).toContain('RESPONSE_TIME');
    },
  );
});
