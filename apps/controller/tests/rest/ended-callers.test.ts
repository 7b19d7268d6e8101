import { once } from 'node:events';
import { request } from 'node:http';
import { createFixtures } from '@vantage/testing/fixtures';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type EventReader, openEvents } from '../../src/reading/history/testing/event-reader.ts';
import { createRestFixture, type RestFixture } from '../../src/testing/rest-fixture.ts';

let rest: RestFixture;
let accountNo: number;
let admin: string;
const readers: EventReader[] = [];
/** Resolves when a check that is asked for waits. */
let waiting = Promise.withResolvers<AbortSignal>();

beforeAll(async () => {
  rest = await createRestFixture({
    settings: { signInHeader: 'x-forwarded-email' },
    checkNow: (_deviceNo, signal) => {
      waiting.resolve(signal);
      return new Promise(() => {});
    },
  });
  ({ accountNo } = await rest.account('mine'));
  ({ key: admin } = await rest.key(accountNo, 'UA'));
});
beforeEach(() => {
  waiting = Promise.withResolvers();
});
afterEach(() => {
  for (const reader of readers.splice(0)) reader.leave();
});
afterAll(() => rest[Symbol.asyncDispose]());

const soon = { timeout: 60_000, interval: 20 };
const password = 'a long password';
const kysely = () => rest.db.kysely;
const asAdmin = (method: string, path: string, body?: object) =>
  rest.send(method, path, { key: admin, ...(body && { body }) });

/** Headers of a session that these credentials began. */
async function signIn(body: object, headers: Readonly<Record<string, string>> = {}) {
  const reply = await rest.send('POST', '/session', { body, headers });
  expect(reply.text).toContain('CsrfToken');
  const { CsrfToken } = reply.json as { readonly CsrfToken: string };
  return { Cookie: reply.headers.get('Set-Cookie')?.split(';')[0] ?? '', 'X-CSRF-Token': CsrfToken };
}

let people = 0;
/** A person with a password, and a session of theirs. */
async function person() {
  people += 1;
  const Email = `person-${people}@example.org`;
  const body = { Name: Email, Email, Level: 'UO' };
  const { user_id, Link } = (await asAdmin('POST', '/users', body)).json as { user_id: string; Link: string };
  await accept(Link);
  return { user_id, Email, headers: await signIn({ Email, Password: password }) };
}
const accept = (link: string) =>
  fetch(`${new URL(rest.baseUrl).origin}${new URL(link).pathname}`, {
    method: 'POST',
    headers: { 'X-Forwarded-Proto': 'https' },
    body: new URLSearchParams({ Password: password, Again: password }),
  });
async function proxied() {
  people += 1;
  const Email = `person-${people}@example.org`;
  const { json } = await asAdmin('POST', '/users', { Name: Email, Email, Level: 'UO' });
  const { user_id } = json as { readonly user_id: string };
  return { user_id, headers: await signIn({}, { 'X-Forwarded-Email': Email }) };
}
async function keyOf(level: 'UR' | 'UO' | 'UW' = 'UO') {
  const made = await rest.key(accountNo, level);
  return { ...made, headers: { 'Service-API-Key': made.key } };
}

const follow = async (path: string, headers: Readonly<Record<string, string>>) => {
  const reader = await openEvents(`${rest.baseUrl}${path}`, headers);
  readers.push(reader);
  expect(reader.type).toMatch(/^(text\/event-stream|application\/jsonl)/);
  return reader;
};
/** Turns the clock on until this holds. */
const until = (holds: () => boolean, meanwhile: () => Promise<unknown> = async () => {}) =>
  vi.waitFor(async () => {
    await meanwhile();
    await rest.clock.advance(500);
    expect(holds()).toBe(true);
  }, soon);

interface Opened {
  readonly headers: Record<string, string>;
  readonly end: () => Promise<unknown>;
  /** Goes on until the answer ends. */
  readonly meanwhile?: () => Promise<unknown>;
}
const ways: Readonly<Record<string, () => Promise<Opened>>> = {
  'the session signs out': async () => {
    const { headers } = await person();
    return { headers, end: () => rest.send('DELETE', '/session', { headers }) };
  },
  'the session is over': async () => {
    const { headers } = await person();
    return { headers, end: () => sql`update sessions set ends_us = 0`.execute(kysely()) };
  },
  'the key of the session is revoked': async () => {
    const { key, keyId } = await keyOf();
    return { headers: await signIn({ Key: key }), end: () => asAdmin('DELETE', `/keys/${keyId}`) };
  },
  'the person is removed': async () => {
    const { headers, user_id } = await person();
    return { headers, end: () => asAdmin('DELETE', `/users/${user_id}`) };
  },
  'the person whom a proxy signed in is removed': async () => {
    const { headers, user_id } = await proxied();
    return { headers, end: () => asAdmin('DELETE', `/users/${user_id}`) };
  },
  'the person chooses another password elsewhere': async () => {
    const { headers, Email } = await person();
    const body = { Password: password, NewPassword: 'another password' };
    return {
      headers,
      end: async () =>
        rest.send('PUT', '/session/password', {
          body,
          headers: await signIn({ Email, Password: password }),
        }),
    };
  },
  'the person accepts another invitation': async () => {
    const { headers, user_id } = await person();
    const { Link } = (await asAdmin('POST', `/users/${user_id}/invite`)).json as { readonly Link: string };
    return { headers, end: () => accept(Link) };
  },
  'the person is limited to tags': async () => {
    const { headers, user_id } = await person();
    const { tag_id } = (await asAdmin('POST', '/tags', { Name: `berlin ${people}` })).json as {
      readonly tag_id: string;
    };
    return { headers, end: () => asAdmin('PUT', `/users/${user_id}`, { Tags: [tag_id] }) };
  },
  'the key is revoked': async () => {
    const { headers, keyId } = await keyOf();
    return { headers, end: () => asAdmin('DELETE', `/keys/${keyId}`) };
  },
  'the key expires': async () => {
    const { headers, keyNo } = await keyOf();
    return {
      headers,
      end: () => sql`update api_keys set expires_us = 1 where key_no = ${keyNo}`.execute(kysely()),
    };
  },
  'the key is revoked while its network is over its limit of bad keys': async () => {
    const { headers, keyId } = await keyOf();
    const address = { 'X-Forwarded-For': '198.51.100.7' };
    const guess = async () => {
      let status = 0;
      while (status !== 429) ({ status } = await rest.send('GET', '/tags', { key: 'bad', headers: address }));
    };
    return {
      headers: { ...headers, ...address },
      async end() {
        await guess();
        await asAdmin('DELETE', `/keys/${keyId}`);
      },
      meanwhile: guess,
    };
  },
};

describe.each(Object.keys(ways))('when %s', (way) => {
  test.each(['/events?stream', '/audit?stream'])('%s ends cleanly', async (path) => {
    const opened = await ways[way]?.();
    if (opened === undefined) throw new Error('no such way');
    const reader = await follow(path, opened.headers);
    await opened.end();
    const endedMs = rest.clock.monoMs();
    await until(() => reader.ended, opened.meanwhile);
    expect(reader.broken).toBe(false);
    // Less than the minute for which a network is refused: the limit has nothing to do with it.
    expect(rest.clock.monoMs() - endedMs).toBeLessThan(50_000);
  });
});

test('a check that a caller waits for is refused when the key is revoked or may not check any more', async () => {
  const deviceNo = await createFixtures(kysely()).device(accountNo, []);
  const { device_id } = await kysely()
    .selectFrom('devices')
    .select('device_id')
    .where('device_no', '=', deviceNo)
    .executeTakeFirstOrThrow();
  const ends = {
    revoke: (keyId: string) => asAdmin('DELETE', `/keys/${keyId}`),
    lower: (keyId: string) => asAdmin('PUT', `/keys/${keyId}`, { Level: 'UR' }),
  };
  for (const end of [ends.revoke, ends.lower]) {
    waiting = Promise.withResolvers();
    const { key, keyId } = await keyOf();
    let reply: unknown;
    void rest.send('POST', `/devices/${device_id}/check`, { key }).then(({ json }) => {
      reply = json;
    });
    const signal = await waiting.promise;
    expect((await end(keyId)).status).toBe(200);
    await until(() => reply !== undefined);
    expect(reply).toMatchObject({ code: 1001 });
    expect(signal.aborted).toBe(true);
  }
});

test('a change whose body comes after the end of its key is not made', async () => {
  const { key, keyId, keyNo } = await keyOf('UW');
  const asking = request(`${rest.baseUrl}/tags`, {
    method: 'POST',
    headers: { 'X-Forwarded-Proto': 'https', 'Service-API-Key': key, 'Content-Type': 'application/json' },
  });
  asking.write('{"Name":');
  await vi.waitFor(async () => {
    const use = await kysely().selectFrom('key_uses').select('used_us').where('key_no', '=', keyNo).execute();
    expect(use).toHaveLength(1);
  }, soon);
  await asAdmin('DELETE', `/keys/${keyId}`);
  asking.end('"too late"}');
  const [response] = await once(asking, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  expect(JSON.parse(Buffer.concat(chunks).toString())).toMatchObject({ code: 1001 });
  expect((await asAdmin('GET', '/tags')).text).not.toContain('too late');
});
