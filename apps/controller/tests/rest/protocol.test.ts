import { connect } from 'node:net';
import { refusalReasons } from '@vantage/kernel';
import { publish } from '@vantage/storage';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createRestFixture, type RestFixture, type Send } from '../../src/testing/rest-fixture.ts';

const problem = z.strictObject({
  code: z.int(),
  message: z.string(),
  reason: z.enum(refusalReasons),
  errors: z.array(z.unknown()).optional(),
});

describe('the protocol', () => {
  let rest: RestFixture;
  let key: string;
  let keyNo: number;
  let accountNo: number;
  let addresses = 0;
  beforeAll(async () => {
    rest = await createRestFixture();
    ({ accountNo } = await rest.account('one'));
    ({ key, keyNo } = await rest.key(accountNo, 'UW'));
  });
  afterAll(() => rest[Symbol.asyncDispose]());

  /** The code of an answer (200 for a good one), asked from an address of its own. */
  const code = async (method: string, path: string, send: Send = {}): Promise<number> => {
    addresses += 1;
    const from = `198.51.${Math.floor(addresses / 250)}.${addresses % 250}`;
    const reply = await rest.send(method, path, {
      ...send,
      headers: { 'X-Forwarded-For': from, ...send.headers },
    });
    if (reply.status === 200) return 200;
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
    return problem.parse(reply.json).code;
  };

  it('greets in the words of the contract', async () => {
    const send = { headers: { 'X-Forwarded-For': '192.0.2.10' } };
    const bare = await rest.send('GET', '/hello', send);
    expect(bare.text).toBe('Hello 192.0.2.10\nThe time is 2026-09-21 14:13:20 UTC.\n');
    expect(bare.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const known = await rest.send('GET', '/hello', { ...send, key });
    expect(known.text).toBe(
      `Hello 192.0.2.10\nThe time is 2026-09-21 14:13:20 UTC.\nUsing key:  ${key}\nKey type:   API\nAuth level: UW\nHTTP Auth:  No\n`,
    );
    expect(known.headers.get('cache-control')).toBe('no-store');
    expect(await code('GET', '/hello', { key: 'wrong' })).toBe(1001);
  });

  it('takes the key from its header, an alias header or the query, and refuses several different ones', async () => {
    const header = (name: string, value = key) => code('GET', '/devices', { headers: { [name]: value } });
    expect(await header('service-api-KEY')).toBe(200);
    expect(await header('x-old-key')).toBe(200);
    expect(await header('Authorization', `Bearer ${key}`)).toBe(1001);
    expect(await code('GET', `/devices?api_key=${key}`)).toBe(200);
    expect(await code('GET', `/devices?api_key=${key}`, { key })).toBe(200);
    expect(await code('GET', `/devices?api_key=${key}x`, { key })).toBe(1001);
    expect(await code('GET', `/devices?api_key=${key}&api_key=x`)).toBe(1001);
    expect(await code('GET', '/devices', { key, headers: { 'X-Old-Key': 'x' } })).toBe(1001);
  });

  it('asks for Basic credentials where the key has them', async () => {
    const own = await rest.key(accountNo, 'UR', { user: 'üser', password: 'pass:word' });
    const basic = (text: string) => ({
      key: own.key,
      headers: { Authorization: `Basic ${Buffer.from(text).toString('base64')}` },
    });
    expect(await code('GET', '/devices', { key: own.key })).toBe(1001);
    for (const text of ['üser:wrong', 'user:pass:word', 'no colon', ':'])
      expect(await code('GET', '/devices', basic(text))).toBe(1001);
    expect(await code('GET', '/devices', basic('üser:pass:word'))).toBe(200);
    expect((await rest.send('GET', '/hello', basic('üser:pass:word'))).text).toContain(
      'Auth level: UR\nHTTP Auth:  Yes\n',
    );
  });

  it('refuses a revoked key at once after the notification, and after 4 seconds without one', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await using _listening = await rest.db.subscribe('revoked', () => setImmediate(resolve));
    for (const isNotified of [true, false]) {
      const own = await rest.key(accountNo, 'UR');
      expect(await code('GET', '/devices', { key: own.key })).toBe(200);
      await rest.db.kysely
        .updateTable('api_keys')
        .set({ revoked_at: new Date() })
        .where('key_no', '=', own.keyNo)
        .execute();
      if (isNotified) {
        await publish(rest.db.kysely, 'revoked', { key_nos: [own.keyNo], agent_nos: [] });
        await promise;
      } else {
        expect(await code('GET', '/devices', { key: own.key })).toBe(200);
        await rest.clock.advance(4_000);
      }
      expect(await code('GET', '/devices', { key: own.key })).toBe(1001);
    }
    expect(keyNo).toBeGreaterThan(0);
  });

  it('limits addresses that keep sending bad keys, not the others, and not good keys', async () => {
    const from = (address: string, sent: string) =>
      rest.send('GET', '/devices', { key: sent, headers: { 'X-Forwarded-For': address } });
    for (let i = 0; i < 20; i += 1) expect((await from('203.0.113.9', `bad ${i}`)).status).toBe(400);
    const limited = await from('203.0.113.9', 'bad');
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '60']);
    expect(problem.parse(limited.json).code).toBe(1006);
    expect((await from('203.0.113.9', key)).status).toBe(200);
    expect((await from('203.0.113.10', 'bad')).status).toBe(400);
    await rest.clock.advance(60_000);
    expect((await from('203.0.113.9', 'bad')).status).toBe(400);
  });

  it('counts guesses of a password before it computes them, and by key: a neighbour locks nobody out', async () => {
    const [attacked, neighbour] = [
      await rest.key(accountNo, 'UR', { user: 'u', password: 'right' }),
      await rest.key(accountNo, 'UR', { user: 'u', password: 'right' }),
    ];
    const send = (sent: string, password: string) =>
      rest.send('GET', '/devices', {
        key: sent,
        headers: {
          'X-Forwarded-For': '203.0.113.77',
          Authorization: `Basic ${Buffer.from(`u:${password}`).toString('base64')}`,
        },
      });
    const many = await Promise.all(Array.from({ length: 250 }, (_, n) => send(attacked.key, `wrong ${n}`)));
    expect(many.filter(({ status }) => status === 400)).toHaveLength(20);
    expect(many.filter(({ status }) => status === 429)).toHaveLength(230);
    await Promise.all(Array.from({ length: 40 }, (_, n) => send(`bad ${n}`, 'right')));
    expect((await send(neighbour.key, 'right')).status).toBe(200);
    await rest.clock.advance(60_000);
    expect((await send(attacked.key, 'right')).status).toBe(200);
  });

  it('judges route, key, level, query, id and body in this order', async () => {
    const reader = (await rest.key(accountNo, 'UR')).key;
    const body = { raw: 'no json' };
    expect(await code('PUT', '/nothing/here', body)).toBe(1000);
    expect(await code('PATCH', '/devices', body)).toBe(1000);
    expect(await code('PUT', '/devices/x', body)).toBe(1001);
    expect(await code('PUT', '/devices/x', { ...body, key: reader })).toBe(1002);
    expect(await code('PUT', '/devices/x?fmt=y', { ...body, key })).toBe(1004);
    expect(await code('POST', '/tags?fmt=y', { ...body, key })).toBe(1004);
    expect(await code('POST', '/tags', { ...body, key })).toBe(1000);
    expect(await code('GET', '/devices/%ff%2', { key })).toBe(1003);
    expect(await code('DELETE', '/devices', { key })).toBe(1000);
  });

  it('takes JSON in UTF-8 of at most 1 MiB as a body, and nothing else', async () => {
    const post = (raw: string | undefined, type = 'application/json') =>
      code('POST', '/tags', {
        key,
        ...(raw === undefined ? {} : { raw }),
        headers: { 'Content-Type': type },
      });
    expect(await post('{"Name":"a"}', 'application/json; charset="UTF-8"')).toBe(200);
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=latin1',
      '',
    ])
      expect(await post('{"Name":"a"}', type)).toBe(1000);
    for (const raw of [
      '{',
      '[]',
      'null',
      '"x"',
      '1',
      '{"Name":"a"}}',
      `{"Name":"${'a'.repeat(1_100_000)}"}`,
      `${'['.repeat(200_000)}`,
    ])
      expect(await post(raw)).toBe(1000);
    for (const raw of [
      '{}',
      '{"Name":5}',
      '{"Name":"\\u0000"}',
      '{"Name":"\\ud800"}',
      '{"__proto__":{}}',
      '{"Name":"a","x":1}',
    ])
      expect(await post(raw)).toBe(1004);
    expect(await post(`{"Name":"a","x":${'{"x":'.repeat(40)}1${'}'.repeat(40)}}`)).toBe(1000);
    expect(await post(undefined)).toBe(1004);
    expect(await code('GET', '/tags', { key, headers: { 'Content-Type': 'application/json' } })).toBe(200);
    expect(
      await code('DELETE', '/tags/x', { key, raw: 'x', headers: { 'Content-Type': 'text/plain' } }),
    ).toBe(1003);
  });

  it('answers over-long headers and what is no HTTP in its own shape', async () => {
    const { port } = new URL(rest.baseUrl);
    const raw = (text: string) =>
      new Promise<string>((resolve, reject) => {
        const socket = connect(Number(port), '127.0.0.1', () => socket.write(text));
        let answer = '';
        socket.on('data', (chunk) => {
          answer += chunk.toString();
        });
        socket.on('error', reject);
        socket.on('close', () => resolve(answer));
      });
    const framed =
      'POST /v1.1/tags HTTP/1.0\r\nConnection: keep-alive\r\nX-Forwarded-Proto: https\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
    const long = `GET /v1.1/hello HTTP/1.1\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`;
    for (const text of [long, 'nonsense\r\n\r\n', framed]) {
      const answer = await raw(text);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(problem.parse(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).code).toBe(1000);
    }
  });

  it('wants HTTPS', async () => {
    expect(await code('GET', '/hello', { headers: { 'X-Forwarded-Proto': 'http' } })).toBe(1007);
    expect(await code('GET', '/nothing', { headers: { 'X-Forwarded-Proto': 'https, http' } })).toBe(1007);
  });

  it('says 503 while the database is away, without a word about it', async () => {
    await using other = await createRestFixture();
    const account = await other.account('gone');
    const known = await other.key(account.accountNo, 'UR');
    await other.dropDatabase();
    const reply = await other.send('GET', '/devices', { key: known.key });
    expect([reply.status, problem.parse(reply.json).code]).toEqual([503, 1503]);
    expect(reply.text).not.toMatch(/pool|postgres|driver|kysely|stack/i);
  });
});
