// The holder of one account's key attacks the service of another account.

import { hashPassword } from '@vantage/storage/secrets/password';
import { expect, test } from 'vitest';
import { type AttackFixture, issueKey } from './harness/attack-fixture.ts';
import { flood } from './harness/crowd.ts';
import { callFrom } from './harness/https-call.ts';
import { scenes } from './harness/shared.ts';

const from = '127.0.0.66';
const json = { 'Content-Type': 'application/json' };
const maxRequestMs = 2_000;

const asHostile = ({ ca, hostile }: AttackFixture) => ({ ca, headers: { 'Service-API-Key': hostile.key } });

const patterns: [field: string, value: string][] = [
  ['ExpectJSONPath', `$[${' '.repeat(3_000)}x`],
  ['ExpectJSONPath', `$${'[?(@.a'.repeat(500)}`],
  ['ExpectJSONPath', `$[${'*,'.repeat(5_000)}*]`],
  ['ExpectJSONPath', `$..${'a..'.repeat(3_000)}b`],
  ['ExpectRegex', `(${'a+'.repeat(5_000)})+$`],
  ['ExpectStatus', `${'2'.repeat(20_000)}-`],
  ['Proxy', `http://${':'.repeat(20_000)}`],
  ['ExpectSHA256', ' '.repeat(20_000)],
];

test('the API decides about expensive patterns at once', async () => {
  await scenes.play('hostile patterns', async (fixture) => {
    const target = { Method: 'HTTP', URL: 'http://127.0.0.1:9/', ShortName: 'pattern', Frequency: 60 };
    for (let round = 0; round < 3; round += 1)
      for (const [field, value] of patterns) {
        const Options = { [field]: field === 'ExpectStatus' ? [value] : value };
        const answer = await callFrom(from, {
          ...asHostile(fixture),
          url: `${fixture.baseUrl}/devices`,
          method: 'POST',
          headers: { ...asHostile(fixture).headers, ...json },
          body: JSON.stringify({ ...target, Options }),
        });
        expect([200, 400], `${field}: ${answer.text}`).toContain(answer.status);
        expect(answer.ms, field).toBeLessThan(maxRequestMs);
      }
  });
});

test('the controller does not compute all wrong passwords at once, and a neighbour with the same address gets answers', async () => {
  await scenes.play('wrong passwords', async (fixture) => {
    const { hostile, neighbour, kysely, baseUrl, ca } = fixture;
    const hash = await hashPassword('right');
    const basic = { basic_user: 'user', basic_hash: hash };
    const attacked = await issueKey(kysely, hostile.accountNo, basic);
    const key = await issueKey(kysely, neighbour.accountNo, basic);
    const url = `${baseUrl}/account`;
    const login = (password: string) => `Basic ${Buffer.from(`user:${password}`).toString('base64')}`;
    const wrong = (i: number) => () =>
      callFrom(from, {
        url,
        ca,
        headers: { 'Service-API-Key': attacked, Authorization: login(`wrong ${i}`) },
      });
    const outcomes = await flood(Array.from({ length: 250 }, (_, i) => wrong(i)));
    const tried = outcomes.filter(({ status }) => status === 400).length;
    expect(tried, 'passwords that were tried').toBeLessThanOrEqual(60);
    expect(outcomes.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(150);
    const headers = { 'Service-API-Key': key, Authorization: login('right') };
    expect((await callFrom(from, { url, ca, headers })).status).toBe(200);
  });
});

test('one key can open a limited number of event streams', async () => {
  await scenes.play('event streams', async (fixture) => {
    const open = () =>
      callFrom(from, { ...asHostile(fixture), url: `${fixture.baseUrl}/events?stream`, timeoutMs: 5_000 });
    const outcomes = await flood(Array.from({ length: 120 }, () => open));
    expect(outcomes.filter(({ status }) => status === 429 || status === 503).length).toBeGreaterThan(30);
  });
});

test('the most expensive requests of one key, as many as possible, slow no other account', async () => {
  await scenes.play('requests without end', async (fixture) => {
    const paths = ['/devices?Limit=100', '/events?Limit=100', '/openapi.json', '/devices?Limit=100&fmt=xml'];
    const asks = Array.from(
      { length: 40 },
      (_, i) => () =>
        callFrom(from, { ...asHostile(fixture), url: `${fixture.baseUrl}${paths[i % paths.length]}` }),
    );
    await flood(asks, { rounds: 60, maxMs: 6_000 });
  });
});

test('bodies of the greatest size and depth slow no other account', async () => {
  await scenes.play('great bodies', async (fixture) => {
    const deep = `{"Options":${'['.repeat(500_000)}`;
    const wide = `{${Array.from({ length: 60_000 }, (_, i) => `"k${i}":1`).join(',')}}`;
    const long = JSON.stringify({ FullName: '\u{1f600}'.repeat(250_000) });
    const asks = Array.from(
      { length: 30 },
      (_, i) => () =>
        callFrom(from, {
          ...asHostile(fixture),
          url: `${fixture.baseUrl}/devices`,
          method: 'POST',
          headers: { ...asHostile(fixture).headers, ...json },
          body: [deep, wide, long][i % 3] ?? '',
        }),
    );
    const outcomes = await flood(asks, { rounds: 5 });
    for (const { status } of outcomes) expect([0, 400, 429]).toContain(status);
  });
});
