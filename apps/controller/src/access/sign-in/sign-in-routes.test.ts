import { freePort } from '@vantage/testing/free-port';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { readGroups } from '../../config/oidc-settings.ts';
import { createRestFixture, type RestFixture } from '../../testing/rest-fixture.ts';
import { findAccountNo } from '../accounts/account-store.ts';
import { useProvider } from './testing/provider-bench.ts';

const bench = useProvider();
let rest: RestFixture;
let admin: string;
let ownNo = 0;
beforeAll(async () => {
  rest = (await bench.start('admins=UA; noc=UO:berlin')).rest;
  ownNo = (await findAccountNo(rest.db.kysely, 'one')) ?? 0;
  ({ key: admin } = await rest.key(ownNo, 'UA'));
});
afterAll(() => rest[Symbol.asyncDispose]());

const findings = z.object({ Findings: z.array(z.object({ Works: z.boolean(), Text: z.string() })) });
/** The findings of a test, a line for each. */
async function tested(api: RestFixture, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const { json, text } = await api.send('POST', '/sign-in/test', { key: admin, headers });
  const said = findings.safeParse(json).data?.Findings;
  return said?.map(({ Works, Text }) => `${Works ? '+' : '-'} ${Text}`).join('\n') ?? text;
}
/** Another controller with other settings of the provider. */
const besideWith = (oidc: object) =>
  createRestFixture({
    beside: rest,
    settings: {
      oidc: {
        issuer: bench.provider.issuer,
        clientId: 'vantage',
        clientSecretFile: undefined,
        groups: readGroups('admins=UA'),
        account: 'one',
        ...oidc,
      },
    },
  });

test('an admin reads how people sign in, without the secret; groups of another account stay hidden', async () => {
  const shown = await rest.send('GET', '/sign-in', { key: admin });
  expect(shown.json).toEqual({
    Provider: {
      Issuer: bench.provider.issuer,
      ClientId: bench.provider.clientId,
      HasSecret: true,
      Callback: expect.stringMatching(/\/sign-in\/callback$/),
      Groups: [
        { Group: 'admins', Level: 'UA', Tags: null },
        { Group: 'noc', Level: 'UO', Tags: ['berlin'] },
      ],
    },
    Header: null,
  });
  expect(shown.text).not.toContain(bench.provider.clientSecret);
  const foreign = await rest.key((await rest.account('second')).accountNo, 'UA');
  expect((await rest.send('GET', '/sign-in', { key: foreign.key })).json).toMatchObject({
    Provider: { Groups: [] },
  });
  const writer = await rest.key(ownNo, 'UW');
  for (const [method, path] of [
    ['GET', '/sign-in'],
    ['POST', '/sign-in/test'],
  ] as const)
    expect((await rest.send(method, path, { key: writer.key })).json).toMatchObject({ code: 1002 });
});

test('a provider that people can sign in by passes each part of its test', async () => {
  const { issuer } = bench.provider;
  expect(await tested(rest)).toBe(
    [
      '+ The client secret is read from its file.',
      `+ The provider answers, and its issuer equals VANTAGE_OIDC_ISSUER: ${issuer}`,
      '+ It accepts the sign-in of this controller (authorization code with PKCE).',
      '+ Its keys that sign tokens were read: 1.',
      '+ It names the groups of people.',
    ].join('\n'),
  );
});

test('what keeps people from signing in is named', async () => {
  const { issuer } = bench.provider;
  const other = issuer.replace('127.0.0.1', 'localhost');
  const secretFile = `${import.meta.dirname}/none/secret`;
  const closed = `http://127.0.0.1:${await freePort()}`;
  for (const [oidc, said] of [
    [
      { issuer: other },
      `- The provider calls itself ${issuer}, and VANTAGE_OIDC_ISSUER is ${other}. Both must be`,
    ],
    [{ issuer: closed }, `- The provider at ${closed} cannot be reached: `],
    [{ clientSecretFile: secretFile }, '- The file of the client secret cannot be read: ENOENT'],
  ] as const) {
    await using api = await besideWith(oidc);
    expect(await tested(api)).toContain(said);
  }
});

test('the test of a proxy is the request itself', async () => {
  await using api = await createRestFixture({
    beside: rest,
    settings: { signInHeader: 'x-forwarded-email' },
  });
  expect((await api.send('GET', '/sign-in', { key: admin })).json).toEqual({
    Provider: null,
    Header: { Name: 'x-forwarded-email', TrustedProxies: ['127.0.0.1'] },
  });
  expect(await tested(api, { 'X-Forwarded-Email': 'ada@example.org' })).toBe(
    '+ This request came by a trusted proxy, which named ada@example.org as signed in.',
  );
  expect(await tested(api)).toContain('- This request came by a trusted proxy, but without the header');
  const batch = { Operations: [{ Method: 'POST', Path: '/sign-in/test' }] };
  const headers = { 'X-Forwarded-Email': 'ada@example.org' };
  const inBatch = await api.send('POST', '/batch', { key: admin, body: batch, headers });
  expect(inBatch.text).toContain('which named ada@example.org');
  await using plain = await createRestFixture({ beside: rest });
  expect(await tested(plain)).toBe('');
});
