import type { Level } from '@vantage/rest-kit/session';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRestFixture, type RestFixture } from '../../testing/rest-fixture.ts';

let rest: RestFixture;
let beside: RestFixture;
let accountNo: number;
let admin: string;

beforeAll(async () => {
  rest = await createRestFixture();
  beside = await createRestFixture({ beside: rest });
  ({ accountNo } = await rest.account('mine', 'Europe/Berlin'));
  ({ key: admin } = await rest.key(accountNo, 'UA'));
});
afterAll(async () => {
  await beside[Symbol.asyncDispose]();
  await rest[Symbol.asyncDispose]();
});

const send = (method: string, path: string, body?: object, key = admin) =>
  rest.send(method, path, { key, ...(body === undefined ? {} : { body }) });
const create = async (body: object, key = admin) =>
  (await send('POST', '/keys', body, key)).json as { readonly key_id: string; readonly Key: string };
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
/** Ends a key now by the database's clock, as if its time had come. */
const expire = (keyId: string) =>
  sql`update api_keys set expires_us = (extract(epoch from now()) * 1000000)::bigint - 1 where key_id = ${keyId}`.execute(
    rest.db.kysely,
  );

describe('POST /keys', () => {
  test('shows the key once, and it works at its level', async () => {
    const { key_id: id, Key: key } = await create({ Name: 'grafana', Level: 'UR' });
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect((await send('GET', '/devices', undefined, key)).status).toBe(200);
    expect((await send('POST', '/tags', { Name: 't' }, key)).json).toMatchObject({ code: 1002 });
    const shown = await send('GET', `/keys/${id}`);
    expect(shown.json).toEqual({
      key_id: id,
      Name: 'grafana',
      Tags: null,
      Level: 'UR',
      Expires: null,
      LastUsed: expect.stringMatching(/^\d{4}-.*\+0[12]:00$/),
      LastAddress: '127.0.0.1',
      CreatedAt: expect.stringMatching(/^\d{4}-/),
      CreatedBy: expect.stringMatching(/^[0-9a-f]{48}$/),
      UpdatedAt: expect.stringMatching(/^\d{4}-/),
    });
    const { text } = await send('GET', '/keys');
    expect(text).toContain(id);
    expect(text).not.toContain(key);
  });

  test('stores no key, in no table', async () => {
    const { Key: key } = await create({ Name: 'kept nowhere', Level: 'UR' });
    const { rows } = await sql<{
      text: string;
    }>`select query_to_xml('select * from api_keys', true, false, '')::text
      || query_to_xml('select * from audit', true, false, '')::text as text`.execute(rest.db.kysely);
    expect(rows[0]?.text).toContain('kept nowhere');
    expect(rows[0]?.text).not.toContain(key);
  });

  test.each([
    [{ Level: 'UR' }, 'Name'],
    [{ Name: 'x' }, 'Level'],
    [{ Name: 'x', Level: 'root' }, 'Level'],
    [{ Name: 'x', Level: 'UR', Expires: 'soon' }, 'Expires'],
    [{ Name: 'x', Level: 'UR', Expires: '2020-01-01T00:00:00Z' }, 'in the future'],
    [{ Name: 'x', Level: 'UR', Expires: '9999-01-01T00:00:00Z' }, 'within 100 years'],
    [{ Name: 'x', Level: 'UR', Key: 'mine' }, 'Key'],
    [{ Name: '', Level: 'UR' }, 'Name'],
  ])('refuses %j and names the fault', async (body, named) => {
    const { json } = await send('POST', '/keys', body);
    expect(json).toMatchObject({ code: 1004, message: expect.stringContaining(named) });
  });

  test('a key that expires makes no key that lasts longer, and does not prolong itself', async () => {
    const own = await create({ Name: 'for a day', Level: 'UA', Expires: inDays(1) });
    for (const Expires of [null, inDays(2)])
      expect((await send('POST', '/keys', { Name: 'x', Level: 'UR', Expires }, own.Key)).json).toMatchObject({
        code: 1004,
        errors: [{ field: 'Expires' }],
      });
    expect(await create({ Name: 'x', Level: 'UA', Expires: inDays(0.5) }, own.Key)).toHaveProperty('Key');
    expect((await send('PUT', `/keys/${own.key_id}`, { Expires: null }, own.Key)).json).toMatchObject({
      code: 1004,
    });
    const eternal = await create({ Name: 'viewer', Level: 'UR' });
    expect((await send('PUT', `/keys/${eternal.key_id}`, { Level: 'UW' }, own.Key)).json).toMatchObject({
      code: 1004,
    });
    expect((await send('PUT', `/keys/${eternal.key_id}`, { Name: 'renamed' }, own.Key)).status).toBe(200);
  });
});

describe('a key', () => {
  test('that expires is refused then, and its sessions end', async () => {
    const { key_id: id, Key: key } = await create({ Name: 'short', Level: 'UR', Expires: inDays(1) });
    const begun = await rest.send('POST', '/session', { body: { Key: key } });
    const cookie = begun.headers.get('Set-Cookie')?.split(';')[0] ?? '';
    const get = () => rest.send('GET', '/session', { headers: { Cookie: cookie } });
    const { json: session } = await get();
    const { json: shown } = await send('GET', `/keys/${id}`);
    // The session would last longer than a day when it is used, but never longer than its key.
    expect(session).toMatchObject({ Level: 'UR' });
    expect((session as { Expires: string }).Expires <= (shown as { Expires: string }).Expires).toBe(true);
    await expire(id);
    await rest.clock.advance(5_000);
    expect((await get()).json).toMatchObject({ code: 1001 });
    expect((await send('GET', '/devices', undefined, key)).json).toMatchObject({ code: 1001 });
    expect((await send('GET', `/keys/${id}`)).status).toBe(200);
    expect((await send('PUT', `/keys/${id}`, { Expires: inDays(1) })).status).toBe(200);
    expect((await send('GET', '/devices', undefined, key)).status).toBe(200);
  });

  test('that is changed has its new level at once, also in its sessions and at other controllers', async () => {
    const { key_id: id, Key: key } = await create({ Name: 'rises', Level: 'UR' });
    const begun = await rest.send('POST', '/session', { body: { Key: key } });
    const Cookie = begun.headers.get('Set-Cookie')?.split(';')[0] ?? '';
    const levelOf = async () => {
      const { json } = await rest.send('GET', '/session', { headers: { Cookie } });
      return (json as { Level?: Level }).Level;
    };
    expect(await levelOf()).toBe('UR');
    expect((await beside.send('GET', '/keys', { key })).json).toMatchObject({ code: 1002 });
    expect((await send('PUT', `/keys/${id}`, { Level: 'UA' })).json).toMatchObject({ Level: 'UA' });
    expect(await levelOf()).toBe('UA');
    await expect
      .poll(async () => (await beside.send('GET', '/keys', { key })).status, { timeout: 20_000 })
      .toBe(200);
    expect((await send('PUT', `/keys/${id}`, { Level: 'UO' })).json).toMatchObject({ Level: 'UO' });
    await expect
      .poll(async () => (await beside.send('GET', '/keys', { key })).json, { timeout: 20_000 })
      .toMatchObject({ code: 1002 });
  });

  test('that is deleted is refused at once, also at other controllers, and is gone from the list', async () => {
    const { key_id: id, Key: key } = await create({ Name: 'to go', Level: 'UW' });
    expect((await beside.send('GET', '/devices', { key })).status).toBe(200);
    expect((await send('DELETE', `/keys/${id}`)).json).toEqual({ key_id: id });
    expect((await send('GET', '/devices', undefined, key)).json).toMatchObject({ code: 1001 });
    await expect
      .poll(async () => (await beside.send('GET', '/devices', { key })).json, { timeout: 20_000 })
      .toMatchObject({ code: 1001 });
    expect((await send('GET', `/keys/${id}`)).json).toMatchObject({ code: 1003 });
    expect((await send('DELETE', `/keys/${id}`)).json).toMatchObject({ code: 1003 });
    expect((await send('GET', '/keys')).text).not.toContain(id);
  });

  test('that is read and sent back unchanged stays as it is, also when it has expired', async () => {
    const { key_id: id } = await create({ Name: 'same', Level: 'UO', Expires: inDays(3) });
    await expire(id);
    const before = (await send('GET', `/keys/${id}`)).json as object;
    expect((await send('PUT', `/keys/${id}`, before)).json).toEqual(before);
    const { json } = await send('GET', `/audit?Id=${id}`);
    expect(json).toMatchObject([{ Action: 'Create' }]);
  });

  test('of a lower level manages no key', async () => {
    for (const level of ['UR', 'UO', 'UW'] as const) {
      const { key, keyId } = await rest.key(accountNo, level);
      for (const [method, path] of [
        ['POST', '/keys'],
        ['GET', '/keys'],
        ['GET', `/keys/${keyId}`],
        ['PUT', `/keys/${keyId}`],
        ['DELETE', `/keys/${keyId}`],
      ] as const)
        expect((await send(method, path, method === 'GET' ? undefined : {}, key)).json).toMatchObject({
          code: 1002,
        });
      const operations = [{ Method: 'POST', Path: '/keys', Body: { Name: 'x', Level: 'UR' } }];
      const batch = await send('POST', '/batch', { Operations: operations }, key);
      expect(batch.json).toMatchObject({ Results: [{ Body: { code: 1002 } }] });
    }
  });

  test('has its last use noted at most once a minute', async () => {
    const { key, keyId, keyNo } = await rest.key(accountNo, 'UR');
    const usedUs = async () => {
      await rest.clock.advance(5_000);
      await send('GET', '/tags', undefined, key);
      const { rows } = await sql<{
        used_us: number;
      }>`select used_us from key_uses where key_no = ${keyNo}`.execute(rest.db.kysely);
      return rows[0]?.used_us ?? 0;
    };
    const first = await usedUs();
    expect(await usedUs()).toBe(first);
    await sql`update key_uses set used_us = used_us - 61000000 where key_no = ${keyNo}`.execute(
      rest.db.kysely,
    );
    expect(await usedUs()).toBeGreaterThanOrEqual(first);
    expect((await send('GET', `/keys/${keyId}`)).json).toMatchObject({ LastAddress: '127.0.0.1' });
  });
});
