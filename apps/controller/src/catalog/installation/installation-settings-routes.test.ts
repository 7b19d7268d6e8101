import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createRestFixture, type RestFixture } from '../../testing/rest-fixture.ts';

const soon = { timeout: 60_000, interval: 20 };
const server = {
  Host: 'mail.example.org',
  Port: 587,
  Security: 'STARTTLS',
  VerifyCertificate: true,
  User: 'vantage',
  Password: 'sentinel-password',
};
const path = '/installation/settings';

let rest: RestFixture;
let key: string;
let accountNo: number;
const tested: unknown[] = [];
const testMail: NonNullable<Parameters<typeof createRestFixture>[0]>['testMail'] = async (mail) => {
  tested.push(mail);
  return [{ step: 'Accepted', state: 'Passed', text: 'accepted', ms: 1.234 }];
};

beforeAll(async () => {
  rest = await createRestFixture({ testMail });
  ({ accountNo } = await rest.account('one'));
  ({ key } = await rest.key(accountNo, 'UA'));
});
afterAll(() => rest[Symbol.asyncDispose]());

const put = (body: object) => rest.send('PUT', path, { key, body });

test('settings are stored with a sealed password, shown masked, in the audit, and apply to other controllers', async () => {
  await using other = await createRestFixture({ beside: rest });
  const nothing = { MailServer: null, MailFrom: 'Vantage <vantage@localhost>', PrivateWebhooks: false };
  expect((await rest.send('GET', path, { key })).json).toMatchObject({ ...nothing, UpdatedAt: null });
  const { status, json, text } = await put({ MailServer: server, PrivateWebhooks: true });
  expect(status, text).toBe(200);
  const shown = { ...server, Password: '***' };
  expect(json).toMatchObject({ MailServer: shown, PrivateWebhooks: true });
  expect(text).not.toContain('sentinel');
  const stored = await rest.db.kysely.selectFrom('installation_settings').selectAll().execute();
  expect(JSON.stringify(stored)).not.toContain('sentinel');
  expect(Buffer.from(stored[0]?.mail_password ?? []).includes('sentinel')).toBe(false);
  const audit = await rest.send('GET', '/audit?Kind=installation', { key });
  expect(audit.json).toMatchObject([
    {
      Action: 'Update',
      Changes: [
        { Field: 'MailServer', Old: null, New: shown },
        { Field: 'PrivateWebhooks', Old: null, New: true },
      ],
    },
  ]);
  expect(audit.text).not.toContain('sentinel');
  // The other controller applies them without a restart.
  const contact = {
    Name: 'hook',
    Type: 'webhook',
    Address: 'http://127.0.0.1:9/',
    Secret: `whsec_${btoa('x'.repeat(32))}`,
  };
  await vi.waitFor(async () => {
    const made = await other.send('POST', '/contacts', { key, body: contact });
    expect(made.status, made.text).toBe(200);
  }, soon);
  expect((await put({ MailServer: null, PrivateWebhooks: null })).json).toMatchObject(nothing);
});

test('a mask keeps the password while the other fields stay, and no longer', async () => {
  await put({ MailServer: server });
  const read = await rest.send('GET', path, { key });
  expect((await put(read.json as object)).status).toBe(200);
  for (const change of [{ Host: 'evil.example.org' }, { Security: 'None' }, { VerifyCertificate: false }])
    expect((await put({ MailServer: { ...server, Password: '***', ...change } })).json).toMatchObject({
      code: 1004,
      errors: [{ field: 'MailServer.Password' }],
    });
  expect((await put({ MailServer: { Host: 'a', User: 'me' } })).json).toMatchObject({ code: 1004 });
  const test = { MailServer: { ...server, Password: '***' }, To: 'noc@example.org' };
  const answer = await rest.send('POST', `${path}/test`, { key, body: test });
  expect(answer.json).toEqual({
    Accepted: true,
    Steps: [{ Step: 'Accepted', State: 'Passed', Text: 'accepted', Milliseconds: 1.2 }],
  });
  expect(tested.at(-1)).toEqual({
    smtpUrl: 'smtp://vantage:sentinel-password@mail.example.org:587?requireTLS=true',
    mailFrom: 'Vantage <vantage@localhost>',
    to: 'noc@example.org',
  });
  await put({ MailServer: null });
  expect(
    (await rest.send('POST', `${path}/test`, { key, body: { To: 'noc@example.org' } })).json,
  ).toMatchObject({
    code: 1004,
    errors: [{ field: 'MailServer' }],
  });
});

test('an environment variable wins, is named, and its field cannot be changed', async () => {
  await put({ MailServer: server, PrivateWebhooks: true });
  await using other = await createRestFixture({
    beside: rest,
    environment: { smtpUrl: 'smtps://operator:hidden@mail.example.net', allowPrivateWebhooks: false },
  });
  const read = await other.send('GET', path, { key });
  expect(read.json).toMatchObject({
    MailServer: { Host: 'mail.example.net', Port: 465, Security: 'TLS', User: 'operator', Password: '***' },
    PrivateWebhooks: false,
    SetBy: {
      MailServer: 'VANTAGE_SMTP_URL',
      MailFrom: null,
      PrivateWebhooks: 'VANTAGE_ALLOW_PRIVATE_WEBHOOKS',
    },
  });
  expect(read.text).not.toContain('hidden');
  const send = (body: object) => other.send('PUT', path, { key, body });
  expect((await send({ PrivateWebhooks: true })).json).toMatchObject({ code: 1005, reason: 'fixed_field' });
  expect((await send({ MailServer: server })).json).toMatchObject({
    code: 1005,
    errors: [{ field: 'MailServer' }],
  });
  // What was read may be sent back.
  const sent = { ...(read.json as object), MailFrom: 'noc@example.org' };
  expect((await send(sent)).json).toMatchObject({ MailFrom: 'noc@example.org' });
  // The stored values are unchanged behind the variables.
  expect((await rest.send('GET', path, { key })).json).toMatchObject({
    MailServer: { Host: 'mail.example.org' },
    PrivateWebhooks: true,
  });
  await put({ MailServer: null, MailFrom: null, PrivateWebhooks: null });
});

test("only admins of the operator's account read, change and test them", async () => {
  const { accountNo: otherNo } = await rest.account('two');
  const { key: otherKey } = await rest.key(otherNo, 'UA');
  const { key: writer } = await rest.key(accountNo, 'UW');
  for (const each of [otherKey, writer]) {
    const asked = [
      rest.send('GET', path, { key: each }),
      rest.send('PUT', path, { key: each, body: { PrivateWebhooks: true } }),
      rest.send('POST', `${path}/test`, { key: each, body: { MailServer: server, To: 'noc@example.org' } }),
    ];
    for (const answer of await Promise.all(asked)) expect(answer.json).toMatchObject({ code: 1002 });
  }
  expect((await rest.send('GET', path, { key })).json).toMatchObject({ PrivateWebhooks: false });
});

test('If-Match refuses a change of what another person changed meanwhile', async () => {
  const tag = (await rest.send('GET', path, { key })).headers.get('etag') ?? '';
  expect((await put({ MailFrom: 'first@example.org' })).status).toBe(200);
  const late = await rest.send('PUT', path, {
    key,
    body: { MailFrom: 'second@example.org' },
    headers: { 'If-Match': tag },
  });
  expect(late.json).toMatchObject({ code: 1005 });
});
