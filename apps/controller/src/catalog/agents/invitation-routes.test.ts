import { hashCredential } from '@vantage/storage/secrets/credential';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRestFixture, type RestFixture } from '../../testing/rest-fixture.ts';

let rest: RestFixture;
let key: string;
let accountNo: number;
let refuses = false;
let makingSeconds: number | undefined;
beforeAll(async () => {
  rest = await createRestFixture({
    planInvitation: async (chosen) =>
      makingSeconds !== undefined
        ? { kind: 'making', seconds: makingSeconds }
        : refuses
          ? { kind: 'conflict', message: 'Start the controller with VANTAGE_TLS_NAMES=a and invite again.' }
          : {
              kind: 'ready',
              urls: chosen ?? ['https://own.example:8444'],
              warnings: ['The controller has no parcel.'],
              linesFor: (token) => ({ command: `curl ${token}`, commandWget: `wget ${token}` }),
            },
  });
  ({ accountNo } = await rest.account('one'));
  ({ key } = await rest.key(accountNo, 'UW'));
});
afterAll(() => rest[Symbol.asyncDispose]());

const agents = () =>
  rest.db.kysely
    .selectFrom('agents')
    .select(['agent_id', 'name', 'state', 'token_hash', 'token_expires_us'])
    .where('account_no', '=', accountNo)
    .execute();
const invite = (body: object) => rest.send('POST', '/agents/invitations', { key, body });

test('an invitation makes an agent whose token is stored as a hash and expires after 15 minutes', async () => {
  const [{ name: Location } = { name: '' }] = await rest.db.kysely
    .selectFrom('locations')
    .select('name')
    .where('account_no', '=', accountNo)
    .execute();
  const answer = await invite({ Location, Name: 'edge' });
  const [agent] = await agents();
  const token = answer.text.match(/"Token":"([0-9a-f]{64})"/)?.[1] ?? '';
  expect(answer.json).toMatchObject({
    invitation_id: agent?.agent_id,
    agent_id: agent?.agent_id,
    Token: token,
    Endpoints: ['https://own.example:8444'],
    Command: `curl ${token}`,
    CommandWget: `wget ${token}`,
  });
  expect(answer.headers.get('vantage-warning')).toContain('no parcel');
  expect(agent).toMatchObject({ name: 'edge', state: 'New' });
  expect(Buffer.from(agent?.token_hash ?? [])).toEqual(hashCredential(token));
  expect((agent?.token_expires_us ?? 0) - rest.clock.nowUs()).toBe(15 * 60_000_000);
});

test('an unknown Location and an address that agents cannot use make no agent', async () => {
  const before = await agents();
  expect((await invite({ Location: 'moon' })).json).toMatchObject({ code: 1004 });
  refuses = true;
  expect((await invite({ Location: 'x' })).json).toMatchObject({
    code: 1005,
    message: expect.stringContaining('VANTAGE_TLS_NAMES=a'),
  });
  refuses = false;
  expect(await agents()).toEqual(before);
});

test('while the controller makes the package of the agent, no agent is made, and the caller hears to ask again', async () => {
  const before = await agents();
  makingSeconds = 12;
  const answer = await invite({ Location: 'local' });
  makingSeconds = undefined;
  expect(answer.json).toMatchObject({ code: 1503, message: expect.stringContaining('12 s so far') });
  expect(answer.headers.get('retry-after')).toBe('5');
  expect(await agents()).toEqual(before);
});

test('an invitation has the addresses that the inviter chose', async () => {
  const Endpoint = 'https://a.example:8444, https://[2001:db8::1]:8444/';
  expect((await invite({ Location: 'local', Endpoint })).json).toMatchObject({
    Endpoints: ['https://a.example:8444', 'https://[2001:db8::1]:8444'],
  });
});

test.each([
  'http://a.example:8444',
  'https://a.example:8444/path',
  'https://a.example;id',
  'https://$(id):8444',
  'https://user@a.example',
  'https://a.example:99999',
  ' , ',
  'a.example',
])('no invitation has the address %s: a shell reads it', async (Endpoint) => {
  const before = await agents();
  expect((await invite({ Location: 'local', Endpoint })).json).toMatchObject({
    code: 1004,
    errors: [{ field: 'Endpoint' }],
  });
  expect(await agents()).toEqual(before);
});
