import { formatNames } from '@vantage/imports/formats';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { useAccountPerTest } from '../../testing/account-per-test.ts';

const api = useAccountPerTest();
const gatus = `
endpoints:
  - name: shop
    group: web
    url: https://shop.example.org/health
    interval: 45s
    headers: { Authorization: Bearer correct-horse }
    conditions: ['[STATUS] == 200']
    alerts: [{ type: slack }]
  - name: queue
    url: wss://queue.example.org
    conditions: ['[CONNECTED] == true']
`;
const plan = (body: object) => api.send('POST', '/imports/plan', body);
const named = (Text: string, Name = 'config.yaml') => [{ Name, Text }];

test("another tool's file becomes an apply file, with everything that is not as it was, and nothing is stored", async () => {
  const { text, json } = await plan({ Format: 'gatus', Files: named(gatus) });
  const found = z
    .looseObject({ File: z.string(), Read: z.int(), Devices: z.int(), Secrets: z.array(z.unknown()) })
    .parse(json);
  expect(found).toMatchObject({
    Things: 'endpoints',
    Read: 2,
    Rounded: [{ Name: 'shop', Text: expect.stringContaining('30 s') }],
    Lost: expect.arrayContaining([
      { At: expect.any(String), Name: 'shop', Text: expect.stringContaining('its alerts') },
    ]),
    Secrets: [{ Name: expect.any(String), Use: 'Headers.Authorization of "shop"' }],
  });
  expect(JSON.parse(found.File)).toMatchObject({
    source: 'import/gatus',
    devices: expect.arrayContaining([
      expect.objectContaining({ Method: 'HTTP', URL: 'https://shop.example.org/health', Tags: ['web'] }),
    ]),
  });
  expect(text).not.toContain('correct-horse');
  expect((await api.send('GET', '/devices')).json).toEqual([]);
});

test.each([
  [{ Format: 'gatus', Files: named('endpoints: [', 'a.yaml') }, 'a.yaml:1:'],
  [{ Format: 'nagios', Files: named('SQLite format 3', 'x'), Module: '' }, 'Module'],
  [{ Format: 'xymon', Files: named('a') }, 'Format must be'],
  [{ Format: 'gatus', Files: [] }, 'Files'],
  [{ Format: 'gatus', Files: [{ Name: 'a', Text: 7 }] }, 'Files'],
  [{ Format: 'zabbix', Files: named('<zabbix_export/>') }, 'is XML'],
  [{ Format: 'prometheus', Files: named('[]'), Modules: 'a: 1' }, 'has no modules'],
])('a request that cannot be read says why: %j', async (body, words) => {
  expect((await plan(body)).json).toMatchObject({ code: 1004, message: expect.stringContaining(words) });
});

test('more items than a plan has are refused with their number', async () => {
  const endpoints = Array.from({ length: 2_001 }, (_, at) => `- {name: a${at}, url: "tcp://a${at}:1"}`);
  const Text = `endpoints:\n${endpoints.join('\n')}\n`;
  expect((await plan({ Format: 'gatus', Files: named(Text) })).json).toMatchObject({
    code: 1004,
    message: expect.stringContaining('have 2001 endpoints'),
  });
});

test('the imports of an account are read one after the other; a file that expands without end harms nobody', async () => {
  const bomb = `a: &a [${'1,'.repeat(2_000)}1]\nb: &b [${'*a,'.repeat(900)}*a]\nendpoints: [*b]\n`;
  const texts = [bomb, ...Array.from({ length: 18 }, () => gatus)];
  const answers = await Promise.all(texts.map((Text) => plan({ Format: 'gatus', Files: named(Text) })));
  const codes = answers.map(({ json }) => z.looseObject({ code: z.int().optional() }).parse(json).code);
  expect(codes[0]).toBe(1004);
  expect(codes.slice(1)).toEqual(Array(18).fill(undefined));
});

test('each format of the command can be sent', async () => {
  for (const Format of Object.keys(formatNames)) {
    const { json } = await plan({ Format, Files: named('') });
    expect(z.looseObject({ message: z.string().default('') }).parse(json).message, Format).not.toContain(
      'Format',
    );
  }
});

test('a key that only views plans no import', async () => {
  const { key } = await api.rest.key(api.accountNo, 'UR');
  const body = { Format: 'gatus', Files: named(gatus) };
  expect((await api.rest.send('POST', '/imports/plan', { key, body })).json).toMatchObject({ code: 1002 });
});
