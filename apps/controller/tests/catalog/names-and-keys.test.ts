import { newId } from '@vantage/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type OneAccount, startOneAccount } from '../../src/testing/one-account.ts';

const problem = z.object({
  code: z.int(),
  message: z.string(),
  errors: z.array(z.object({ field: z.string(), message: z.string() })),
});

describe('what a client calls its things by', () => {
  let one: OneAccount;
  beforeAll(async () => {
    one = await startOneAccount();
  });
  afterAll(() => one[Symbol.asyncDispose]());

  const tcp = { Method: 'TCP', URL: 'example.org:9', ShortName: 'tcp' };
  const send = (method: string, path: string, body?: object) => one.send(method, path, body);
  const make = async (path: string, body: object) => {
    const { json } = await send('POST', path, body);
    return Object.values(z.record(z.string(), z.string()).parse(json))[0] ?? '';
  };
  const get = async (id: string) =>
    z.looseObject({ Tags: z.array(z.unknown()) }).parse((await send('GET', `/devices/${id}`)).json);

  it('Tags of a device are the whole set, by name, id or the object that a GET returns', async () => {
    const [web, shop] = [await make('/tags', { Name: 'web' }), await make('/tags', { Name: 'shop' })];
    const id = await make('/devices', { ...tcp, Tags: ['web', shop] });
    const both = [
      { tag_id: shop, Name: 'shop' },
      { tag_id: web, Name: 'web' },
    ];
    expect(await get(id)).toMatchObject({ Tags: both });
    const whole = await get(id);
    expect((await send('PUT', `/devices/${id}`, whole)).json).toEqual(whole);
    expect((await send('PUT', `/devices/${id}`, { Tags: both.slice(1) })).json).toMatchObject({
      Tags: both.slice(1),
    });
    expect((await send('PUT', `/devices/${id}`, { ShortName: 'x' })).json).toMatchObject({
      Tags: both.slice(1),
    });
    expect((await send('PUT', `/devices/${id}`, { Tags: null })).json).toMatchObject({ Tags: [] });
    expect(one.rest.recorded.flatMap(({ changes }) => changes).at(-1)).toMatchObject({
      fields: [{ field: 'Tags', old: both.slice(1), new: [] }],
    });
  });

  it('Tags that do not exist, or whose name several have, are named in a 1004', async () => {
    await make('/tags', { Name: 'twice' });
    // Names were not unique once.
    await one.rest.db.kysely
      .insertInto('tags')
      .values({ tag_id: newId(), name: 'twice', account_no: one.accountNo })
      .execute();
    for (const [tag, text] of [
      ['nothing', 'There is no tag'],
      [newId(), 'There is no tag'],
      ['twice', 'several tags'],
    ] as const) {
      const refused = problem.parse((await send('POST', '/devices', { ...tcp, Tags: [tag] })).json);
      expect(refused).toMatchObject({
        code: 1004,
        errors: [{ field: 'Tags', message: expect.stringContaining(text) }],
      });
      expect(refused.message).toContain(tag);
    }
    for (const Tags of ['web', [5], [{ Name: 'web' }]])
      expect((await send('POST', '/devices', { ...tcp, Tags })).json).toMatchObject({ code: 1004 });
  });

  it.each([
    ['devices', 'device', tcp],
    ['tags', 'tag', { Name: 'keyed' }],
  ])('ExternalKey of %s is unique, finds its holder, and is cleared by null', async (path, what, body) => {
    const id = await make(`/${path}`, { ...body, ExternalKey: 'k 1' });
    const other = await make(`/${path}`, path === 'tags' ? { Name: 'other' } : body);
    expect((await send('GET', `/${path}?ExternalKey=k%201`)).json).toMatchObject([
      { [`${what}_id`]: id, ExternalKey: 'k 1' },
    ]);
    for (const sending of [
      send('POST', `/${path}`, { ...body, ExternalKey: 'k 1' }),
      send('PUT', `/${path}/${other}`, { ExternalKey: 'k 1' }),
    ]) {
      const refused = problem.parse((await sending).json);
      expect(refused).toMatchObject({ code: 1005, errors: [{ field: 'ExternalKey' }] });
      expect(refused.message).toContain(id);
    }
    expect((await send('PUT', `/${path}/${id}`, { ExternalKey: 'k 1' })).status).toBe(200);
    for (const ExternalKey of ['', 'a\nb', '\u202E', 'x'.repeat(129), 5])
      expect((await send('PUT', `/${path}/${id}`, { ExternalKey })).json).toMatchObject({ code: 1004 });
    expect((await send('PUT', `/${path}/${id}`, { ExternalKey: null })).json).toMatchObject({
      ExternalKey: null,
    });
    expect((await send('PUT', `/${path}/${other}`, { ExternalKey: 'k 1' })).status).toBe(200);
  });

  it('ExternalKey goes to one of two requests at the same moment', async () => {
    const both = await Promise.all(
      [1, 2].map(() => send('POST', '/devices', { ...tcp, ExternalKey: 'at once' })),
    );
    expect(both.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 400]);
  });

  describe('PUT /devices?ExternalKey=', () => {
    const put = (key: string, body: object) =>
      one.send('PUT', `/devices?ExternalKey=${encodeURIComponent(key)}`, body);
    const withKey = async (key: string) =>
      z
        .array(z.looseObject({ device_id: z.string() }))
        .parse((await send('GET', `/devices?ExternalKey=${encodeURIComponent(key)}`)).json);

    it('creates the device with the key, then changes it in part; the same again changes nothing', async () => {
      const made = await put('shop/web 1', { ...tcp, FullName: 'Shop' });
      expect(made.json).toMatchObject({ ...tcp, FullName: 'Shop', ExternalKey: 'shop/web 1' });
      const [device] = await withKey('shop/web 1');
      const same = await send('GET', `/devices/${device?.device_id}`);
      expect(made.json).toEqual(same.json);
      const changes = one.rest.recorded.length;
      expect((await put('shop/web 1', { ...tcp, FullName: 'Shop' })).json).toEqual(same.json);
      expect((await put('shop/web 1', made.json as object)).json).toEqual(same.json);
      expect(one.rest.recorded.length).toBe(changes);
      const changed = await put('shop/web 1', { Timeout: 7, ExternalKey: 'shop/web 1' });
      expect(changed.json).toMatchObject({
        ...tcp,
        FullName: 'Shop',
        Timeout: 7,
        device_id: device?.device_id,
      });
      expect((await put('shop/web 1', { FullName: null })).json).toMatchObject({ FullName: null });
      expect((await put('shop/web 1', { Method: 'PING' })).json).toMatchObject({ code: 1005 });
    });

    it.each<readonly [object, readonly string[]]>([
      [{}, ['Method', 'ShortName', 'URL']],
      [{ Method: 'TCP' }, ['ShortName', 'URL']],
      [{ ...tcp, Method: 'HTTPS' }, ['Method']],
      [{ ...tcp, Method: 5 }, ['Method']],
      [{ ...tcp, ShortName: 'far too long' }, ['ShortName']],
      [{ ...tcp, ExternalKey: 'another' }, ['ExternalKey']],
      [{ ...tcp, ExternalKey: null }, ['ExternalKey']],
      [{ ...tcp, Frequenz: 5 }, ['Frequenz']],
      [{ ...tcp, Tags: ['no such tag'] }, ['Tags']],
    ])('refuses %j for a new device and names each fault once', async (body, fields) => {
      const refused = problem.parse((await put('faulty', body)).json);
      expect([refused.code, refused.errors.map(({ field }) => field).sort()]).toEqual([1004, fields]);
      expect(await withKey('faulty')).toEqual([]);
    });

    it('needs one key, which is judged as everywhere', async () => {
      for (const query of ['', '?ExternalKey=', '?ExternalKey=a&ExternalKey=b', '?ExternalKey=a%0Ab'])
        expect((await one.send('PUT', `/devices${query}`, tcp)).json).toMatchObject({
          code: 1004,
          errors: [{ field: 'ExternalKey' }],
        });
    });

    it('of many at one moment creates one device, also in batches', async () => {
      const replies = await Promise.all(
        [1, 2, 3, 4, 5].map((Timeout) => put('at one moment', { ...tcp, Timeout })),
      );
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
      expect(await withKey('at one moment')).toHaveLength(1);
      const Path = '/devices?ExternalKey=batched';
      const Operations = [1, 2].map((Timeout) => ({ Method: 'PUT', Path, Body: { ...tcp, Timeout } }));
      for (const Atomic of [true, false])
        expect((await one.send('POST', '/batch', { Atomic, Operations })).json).toMatchObject({
          Results: [{ Status: 200 }, { Status: 200, Body: { Timeout: 2 } }],
        });
      expect(await withKey('batched')).toHaveLength(1);
    });
  });
});
