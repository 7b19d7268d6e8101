import { sessionCookieName } from '@vantage/rest-kit/session-cookie';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDocumentReader } from '../../testing/document.ts';
import type { Reply } from '../../testing/http-client.ts';
import { createRestFixture, type RestFixture } from '../../testing/rest-fixture.ts';

let rest: RestFixture;
let accountNo: number;
let keys: { readonly UW: string; readonly UO: string; readonly UR: string };

beforeAll(async () => {
  rest = await createRestFixture();
  ({ accountNo } = await rest.account('mine'));
  const issue = async (level: 'UW' | 'UO' | 'UR') => (await rest.key(accountNo, level)).key;
  keys = { UW: await issue('UW'), UO: await issue('UO'), UR: await issue('UR') };
});
afterAll(() => rest[Symbol.asyncDispose]());

const cookieOf = ({ headers }: Reply): string => headers.get('Set-Cookie')?.split(';')[0] ?? '';

/** Signs in, and sends further requests by the cookie alone. */
async function signIn(key: string, headers: Readonly<Record<string, string>> = {}) {
  const reply = await rest.send('POST', '/session', { body: { Key: key }, headers });
  expect(reply.text).toContain('CsrfToken');
  const { CsrfToken: token } = reply.json as { readonly CsrfToken: string };
  const cookie = cookieOf(reply);
  return {
    cookie,
    token,
    reply,
    get: (path: string) => rest.send('GET', path, { headers: { Cookie: cookie } }),
    write: (method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown, csrf: string | null = token) =>
      rest.send(method, path, {
        ...(body === undefined ? {} : { body }),
        headers: { Cookie: cookie, ...(csrf === null ? {} : { 'X-CSRF-Token': csrf }) },
      }),
  };
}

describe('POST /session', () => {
  test('sets a cookie that scripts and other sites cannot use, and answers what the session may do', async () => {
    const { reply } = await signIn(keys.UR);
    expect(reply.headers.get('Set-Cookie')).toMatch(
      new RegExp(`^${sessionCookieName}=[0-9a-f]{64}; Path=/; Secure; HttpOnly; SameSite=Strict$`),
    );
    expect(reply.json).toEqual({
      Name: expect.any(String),
      Level: 'UR',
      Tags: null,
      Expires: expect.stringMatching(/^\d{4}-/),
      HasPassword: false,
      CsrfToken: expect.stringMatching(/^[\da-f]{64}$/),
    });
  });

  test('refuses an unknown key as every request does, without a cookie', async () => {
    const reply = await rest.send('POST', '/session', { body: { Key: 'f'.repeat(64) } });
    expect(reply.json).toMatchObject({ code: 1001 });
    expect(reply.headers.get('Set-Cookie')).toBeNull();
    expect((await rest.send('POST', '/session', { body: {} })).json).toMatchObject({ code: 1004 });
  });

  test('asks for the user and password of a key that has them', async () => {
    const { key } = await rest.key(accountNo, 'UR', { user: 'u', password: 'p' });
    const send = (body: object) => rest.send('POST', '/session', { body: { Key: key, ...body } });
    expect((await send({})).json).toMatchObject({ code: 1001 });
    expect((await send({ Name: 'u', Password: 'wrong' })).json).toMatchObject({ code: 1001 });
    expect((await send({ Name: 'u', Password: 'p' })).json).toMatchObject({ Level: 'UR' });
  });

  test('takes no token of the caller, and ends the session that the browser had', async () => {
    const fixed = `${sessionCookieName}=${'a'.repeat(64)}`;
    const first = await signIn(keys.UW, { Cookie: fixed });
    expect(first.cookie).not.toBe(fixed);
    const second = await signIn(keys.UW, { Cookie: first.cookie });
    expect((await first.get('/devices')).json).toMatchObject({ code: 1001 });
    expect((await second.get('/devices')).status).toBe(200);
  });

  test('ends the oldest session of a key that has a hundred', async () => {
    const { key, keyNo } = await rest.key(accountNo, 'UR');
    const oldest = await signIn(key);
    for (let count = 0; count < 100; count += 1) await signIn(key);
    const { rows } = await sql<{
      n: number;
    }>`select count(*)::int as n from sessions where key_no = ${keyNo}`.execute(rest.db.kysely);
    expect(rows).toEqual([{ n: 100 }]);
    expect((await oldest.get('/session')).json).toMatchObject({ code: 1001 });
  });
});

test('the answers of these routes are as the OpenAPI document says', async () => {
  const document = createDocumentReader((await rest.send('GET', '/openapi.json')).json);
  const own = rest.routes.filter(({ tag }) => tag === 'Sessions');
  const { reply, write, get } = await signIn(keys.UR);
  const change = own.find(({ method }) => method === 'PUT');
  for (const body of [{}, { Password: 'x', NewPassword: 'a long password' }])
    expect(change && document.disagreement(change, await write('PUT', '/session/password', body))).toBe('');
  const replies = [await get('/session'), await write('DELETE', '/session'), await get('/session')];
  const [post, read, remove] = ['POST', 'GET', 'DELETE'].map((verb) =>
    own.find(({ method }) => method === verb),
  );
  if (post === undefined || read === undefined || remove === undefined) throw new Error('a route is missing');
  expect(document.disagreement(post, reply)).toBe('');
  for (const [at, route] of [read, remove, read].entries()) {
    const answer = replies[at];
    expect(answer && document.disagreement(route, answer)).toBe('');
  }
});

describe('a refused sign-in', () => {
  type Entry = {
    readonly Action: string;
    readonly Changes: readonly { readonly Field: string; readonly New: unknown }[];
  };
  /** Reasons and numbers of refused sign-ins from an address, newest first. */
  const refusals = async (address: string) => {
    const { json } = await rest.send('GET', '/audit?Kind=session&Limit=100', { key: keys.UR });
    return (json as (Entry & { readonly Address: string; readonly Actor: string })[])
      .filter(({ Action, Address }) => Action === 'Refuse' && Address === address)
      .map(({ Actor, Changes }) => ({
        Actor,
        ...Object.fromEntries(Changes.map((each) => [each.Field, each.New])),
      }));
  };
  const attempt = (address: string, body: object) =>
    rest.send('POST', '/session', { body, headers: { 'X-Forwarded-For': address } });

  test('is in the audit of its account, once a minute for each address, with the reason and the number', async () => {
    const { key, keyNo } = await rest.key(accountNo, 'UR', { user: 'u', password: 'p' });
    await sql`update api_keys set name = 'with password' where key_no = ${keyNo}`.execute(rest.db.kysely);
    const wrong = { Key: key, Name: 'u', Password: 'wrong' };
    for (let count = 0; count < 4; count += 1)
      expect((await attempt('192.0.2.7', wrong)).json).toMatchObject({ code: 1001 });
    const first = { Actor: 'stranger', Key: 'with password', Reason: 'wrong name or password', Attempts: 1 };
    await attempt('192.0.2.8', wrong);
    await expect.poll(() => refusals('192.0.2.8')).toEqual([first]); // is noted after those before
    expect(await refusals('192.0.2.7')).toEqual([first]);
    await rest.clock.advance(60_000);
    await expect.poll(() => refusals('192.0.2.7')).toEqual([{ ...first, Attempts: 3 }, first]);
    await rest.clock.advance(120_000);
    expect(await refusals('192.0.2.7')).toHaveLength(2);
  });

  test('says that the key was revoked, has expired or is unknown; of several accounts an unknown key is of none', async () => {
    const revoked = await rest.key(accountNo, 'UR');
    await sql`update api_keys set revoked_at = now() where key_no = ${revoked.keyNo}`.execute(rest.db.kysely);
    const expired = await rest.key(accountNo, 'UR');
    await sql`update api_keys set expires_us = 1 where key_no = ${expired.keyNo}`.execute(rest.db.kysely);
    await attempt('192.0.2.11', { Key: revoked.key });
    await attempt('192.0.2.12', { Key: expired.key });
    await attempt('192.0.2.13', { Key: 'nobody' });
    const of = (address: string) => expect.poll(() => refusals(address));
    await of('192.0.2.11').toMatchObject([{ Reason: 'revoked key' }]);
    await of('192.0.2.12').toMatchObject([{ Reason: 'expired key' }]);
    await of('192.0.2.13').toMatchObject([{ Reason: 'unknown key' }]);
    await rest.account('another');
    await attempt('192.0.2.14', { Key: 'nobody' });
    await attempt('192.0.2.15', { Key: revoked.key });
    await of('192.0.2.15').toMatchObject([{ Reason: 'revoked key' }]); // is noted after the one before
    expect(await refusals('192.0.2.14')).toEqual([]);
  });

  test('stores nothing of what was sent', async () => {
    const { rows } = await sql<{
      text: string;
    }>`select query_to_xml('select * from audit', true, false, '')::text as text`.execute(rest.db.kysely);
    expect(rows[0]?.text).toContain('wrong name or password');
    for (const sent of ['nobody', '>wrong<', '"wrong"']) expect(rows[0]?.text).not.toContain(sent);
  });
});

describe('a session', () => {
  test('reads by its cookie alone, and changes things only with its own CSRF token', async () => {
    const mine = await signIn(keys.UW);
    const other = await signIn(keys.UW);
    expect((await mine.get('/session')).json).toEqual(mine.reply.json);
    const device = { Method: 'TCP', URL: 'example.org:80', ShortName: 'browser' };
    for (const csrf of [null, '', 'x', other.token])
      expect((await mine.write('POST', '/devices', device, csrf)).json).toMatchObject({
        code: 1002,
        message: expect.stringContaining('X-CSRF-Token'),
      });
    expect((await mine.write('POST', '/devices', device)).json).toHaveProperty('device_id');
    const batch = { Operations: [{ Method: 'GET', Path: '/tags' }] };
    expect((await mine.write('POST', '/batch', batch, null)).json).toMatchObject({ code: 1002 });
    expect((await mine.write('POST', '/batch', batch)).status).toBe(200);
  });

  test('gives way to a key that the request carries', async () => {
    const { cookie } = await signIn(keys.UR);
    const reply = await rest.send('POST', '/tags', {
      key: keys.UW,
      body: { Name: 'by a key' },
      headers: { Cookie: cookie },
    });
    expect(reply.json).toHaveProperty('tag_id');
  });

  test('has the rights of its key', async () => {
    const reader = await signIn(keys.UR);
    expect((await reader.write('POST', '/tags', { Name: 'x' })).json).toMatchObject({ code: 1002 });
    expect((await reader.write('PUT', '/alerts/acknowledge', { Filter: {} })).json).toMatchObject({
      code: 1002,
    });
    const operator = await signIn(keys.UO);
    expect((await operator.write('POST', '/tags', { Name: 'x' })).json).toMatchObject({ code: 1002 });
    expect((await operator.write('PUT', '/alerts/acknowledge', { Filter: {} })).status).toBe(200);
  });

  test('is over for everybody who has its cookie once it is signed out, and both are in the audit', async () => {
    const { cookie, ...mine } = await signIn(keys.UW);
    const stolen = () => rest.send('GET', '/devices', { headers: { Cookie: cookie } });
    expect((await stolen()).status).toBe(200);
    expect((await mine.write('DELETE', '/session', undefined, null)).json).toMatchObject({ code: 1002 });
    const reply = await mine.write('DELETE', '/session');
    expect(reply.json).toEqual({ SignOut: null });
    expect(reply.headers.get('Set-Cookie')).toContain('Max-Age=0');
    expect((await stolen()).json).toMatchObject({ code: 1001 });
    const { json } = await rest.send('GET', '/audit?Kind=session&Limit=2', { key: keys.UR });
    expect(json).toMatchObject([{ Action: 'Delete' }, { Action: 'Create' }]);
  });

  test('ends with its key', async () => {
    const { key, keyNo } = await rest.key(accountNo, 'UR');
    const { get } = await signIn(key);
    await sql`update api_keys set revoked_at = now() where key_no = ${keyNo}`.execute(rest.db.kysely);
    await rest.clock.advance(5_000);
    expect((await get('/devices')).json).toMatchObject({ code: 1001 });
  });

  test('ends 12 hours after its last use, which is noted at most every 5 minutes, and 30 days after it began', async () => {
    const { key, keyNo } = await rest.key(accountNo, 'UR');
    const { get } = await signIn(key);
    /** Ages the session, as if so many minutes had passed. */
    const age = async (minutes: number) => {
      await sql`update sessions set began_us = began_us - ${minutes * 60_000_000}::bigint, used_us = used_us - ${minutes * 60_000_000}::bigint, ends_us = ends_us - ${minutes * 60_000_000}::bigint where key_no = ${keyNo}`.execute(
        rest.db.kysely,
      );
      await rest.clock.advance(5_000);
      return get('/session');
    };
    for (let hours = 0; hours < 30 * 24 - 11; hours += 11)
      expect((await age(11 * 60)).status, `after ${hours + 11} h`).toBe(200);
    expect((await age(11 * 60)).json).toMatchObject({ code: 1001 });
    const again = await signIn(key);
    await sql`update sessions set ends_us = ends_us - 43200000000 where key_no = ${keyNo}`.execute(
      rest.db.kysely,
    );
    await rest.clock.advance(5_000);
    expect((await again.get('/session')).json).toMatchObject({ code: 1001 });
  });

  test('is not a thing that a key has', async () => {
    expect((await rest.send('GET', '/session', { key: keys.UW })).json).toMatchObject({ code: 1003 });
    expect((await rest.send('DELETE', '/session', { key: keys.UW })).json).toMatchObject({ code: 1003 });
  });
});
