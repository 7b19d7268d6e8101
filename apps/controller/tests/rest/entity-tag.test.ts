import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type OneAccount, startOneAccount } from '../../src/testing/one-account.ts';

describe('the ETag of a resource', () => {
  let one: OneAccount;
  let device: string;
  beforeAll(async () => {
    one = await startOneAccount();
  });
  afterAll(() => one[Symbol.asyncDispose]());

  const send = (
    method: string,
    path: string,
    headers: Readonly<Record<string, string>> = {},
    body?: unknown,
  ) => one.send(method, path, body, { headers });
  const tagOf = async (path: string) => (await send('GET', path)).headers.get('etag') ?? '';
  const create = async () => {
    const { json } = await send(
      'POST',
      '/devices',
      {},
      { Method: 'HTTP', URL: 'http://a.example/', ShortName: 'a' },
    );
    return `/devices/${z.object({ device_id: z.string() }).parse(json).device_id}`;
  };
  const code = (reply: { readonly json: unknown }) =>
    z.object({ code: z.int() }).safeParse(reply.json).data?.code;

  beforeAll(async () => {
    device = await create();
  });

  it('has two parts: the first stays while only the status changes', async () => {
    const before = await tagOf(device);
    expect(before).toMatch(/^"[0-9a-f]{16}\.[0-9a-f]{16}"$/);
    expect(await tagOf(device)).toBe(before);
    await one.rest.db.kysely.updateTable('locations').set({ online: true }).execute();
    await one.rest.db.kysely.updateTable('device_state').set({ status: 'Down' }).execute();
    const after = await tagOf(device);
    expect(after).not.toBe(before);
    expect(after.split('.')[0]).toBe(before.split('.')[0]);
    expect((await tagOf(`${device}?WithConfig=Y`)).split('.')[0]).toBe(before.split('.')[0]);
  });

  it('stands on every single resource and on the answer of its PUT; lists have a weak one', async () => {
    expect(await tagOf('/account')).not.toBe('');
    expect(await tagOf('/openapi.json')).not.toBe('');
    const put = await send('PUT', device, {}, { FullName: 'x' });
    expect(put.headers.get('etag')).toBe(await tagOf(device));
    expect(await tagOf('/hello')).toBe('');
    for (const path of ['/devices', '/tags']) expect(await tagOf(path)).toMatch(/^W\/"[0-9a-f]{16}"$/);
  });

  it('saves sending a resource again: If-None-Match compares all of it', async () => {
    const tag = await tagOf(device);
    const same = await send('GET', device, { 'If-None-Match': `"x", ${tag}` });
    expect([same.status, same.text, same.headers.get('etag')]).toEqual([304, '', tag]);
    expect((await send('GET', device, { 'If-None-Match': '*' })).status).toBe(304);
    const revisionOnly = `${tag.split('.')[0]}.0"`;
    expect((await send('GET', device, { 'If-None-Match': revisionOnly })).status).toBe(200);
  });

  it('guards a change: If-Match with another settings revision is 1005, and nothing is changed', async () => {
    const tag = await tagOf(device);
    expect(
      (await send('PUT', device, { 'If-Match': `${tag.split('.')[0]}.0"` }, { Retries: 5 })).status,
    ).toBe(200);
    const late = await send('PUT', device, { 'If-Match': tag }, { Retries: 7 });
    expect([code(late), late.text]).toEqual([1005, expect.stringContaining('Read the resource again')]);
    expect((await send('GET', device)).json).toMatchObject({ Retries: 5 });
    expect(code(await send('PUT', `${device}/start-maintenance`, { 'If-Match': tag }, {}))).toBe(1005);
    expect(code(await send('DELETE', device, { 'If-Match': '"x.y"' }))).toBe(1005);
    expect((await send('PUT', device, { 'If-Match': '*' }, { Retries: 3 })).status).toBe(200);
  });

  it('is judged after query and id and before the body', async () => {
    const wrong = { 'If-Match': '"x.y"' };
    expect(code(await send('PUT', `${device}?x=1`, wrong, { Retries: 0 }))).toBe(1004);
    expect(code(await send('PUT', '/devices/x', wrong, { Retries: 0 }))).toBe(1003);
    expect(code(await send('PUT', device, wrong, { Retries: 0 }))).toBe(1005);
    expect(code(await send('PUT', device, { 'If-Match': '*' }, { Retries: 0 }))).toBe(1004);
    expect(code(await send('POST', '/devices', wrong, {}))).toBe(1004);
  });

  it('lets one of two changes at once through, and one deletion', async () => {
    const own = await create();
    const tag = await tagOf(own);
    const puts = await Promise.all(
      Array.from({ length: 8 }, (_, n) => send('PUT', own, { 'If-Match': tag }, { FullName: `name ${n}` })),
    );
    expect(puts.filter(({ status }) => status === 200)).toHaveLength(1);
    const deletes = await Promise.all([1, 2].map(() => send('DELETE', own, { 'If-Match': '*' })));
    expect(new Set(deletes.map((reply) => code(reply) ?? 200))).toEqual(new Set([200, 1003]));
  });

  it('changes with a masked secret each time, also within one second', async () => {
    const { secret_id: id } = z
      .object({ secret_id: z.string() })
      .parse((await send('POST', '/secrets', {}, { Name: 'DB_PASS', Value: '0' })).json);
    const path = `/secrets/${id}`;
    const first = await tagOf(path);
    const tags = new Set([first]);
    for (let value = 1; value < 8; value += 1) {
      expect((await send('PUT', path, {}, { Value: `${value}` })).status).toBe(200);
      tags.add(await tagOf(path));
    }
    expect(tags.size).toBe(8);
    expect(code(await send('PUT', path, { 'If-Match': first }, { Value: 'x' }))).toBe(1005);
  });
});
