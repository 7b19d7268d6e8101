import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openTarget } from '../../src/catalog/devices/stored-target.ts';
import { type OneAccount, startOneAccount } from '../../src/testing/one-account.ts';

const faults = z.object({ errors: z.array(z.object({ field: z.string(), message: z.string() })) });
const device = z.looseObject({
  Options: z.looseObject({ Headers: z.record(z.string(), z.string()).optional() }),
  HostData: z.strictObject({ headers: z.record(z.string(), z.string()) }),
});

describe('HostData, the older name of the HTTP request headers', () => {
  let one: OneAccount;
  beforeAll(async () => {
    one = await startOneAccount();
  });
  afterAll(() => one[Symbol.asyncDispose]());

  const web = { Method: 'HTTP', URL: 'https://example.org/x', ShortName: 'web' };
  const post = (body: object) => one.send('POST', '/devices', body);
  const create = async (body: object) => {
    const { json } = await post(body);
    return z.strictObject({ device_id: z.string() }).parse(json).device_id;
  };
  const put = (id: string, body: object) => one.send('PUT', `/devices/${id}?WithConfig=Y`, body);
  const get = async (id: string) => device.parse((await one.send('GET', `/devices/${id}?WithConfig=Y`)).json);
  const headersOf = async (id: string) => (await get(id)).Options.Headers ?? {};
  const storedHeaders = async (id: string) => {
    const row = await one.rest.db.kysely
      .selectFrom('devices')
      .select('sealed')
      .where('device_id', '=', id)
      .executeTakeFirstOrThrow();
    return openTarget(one.rest.sealer, id, row.sealed).options['Headers'];
  };

  it('always has headers for a device of Method HTTP, and is absent for every other Method', async () => {
    expect((await get(await create(web))).HostData).toEqual({ headers: {} });
    const tcp = await create({ Method: 'TCP', URL: 'example.org:9', ShortName: 'tcp' });
    const { json } = await one.send('GET', `/devices/${tcp}?WithConfig=Y`);
    expect(json).not.toHaveProperty('HostData');
  });

  it('can be changed in what a GET returned, and the whole sent back', async () => {
    const id = await create({ ...web, Options: { Headers: { Cookie: 'sid=1', Accept: '*/*' } } });
    const whole = await get(id);
    const headers = { ...whole.HostData.headers, Accept: 'text/html' };
    expect((await put(id, { ...whole, HostData: { headers } })).status).toBe(200);
    expect(await storedHeaders(id)).toEqual({ Cookie: 'sid=1', Accept: 'text/html' });
    const again = await get(id);
    const Options = { ...again.Options, Headers: { ...again.Options.Headers, Accept: 'text/plain' } };
    expect((await put(id, { ...again, Options })).status).toBe(200);
    expect(await storedHeaders(id)).toEqual({ Cookie: 'sid=1', Accept: 'text/plain' });
    const { Headers: _, ...without } = again.Options;
    expect((await put(id, { ...(await get(id)), Options: without })).json).toMatchObject({
      HostData: { headers: {} },
    });
  });

  it('changes nothing as {}, and clears the headers as null or with empty headers', async () => {
    const id = await create({ ...web, HostData: { headers: { A: '1' } } });
    expect((await put(id, { HostData: {} })).status).toBe(200);
    expect(await headersOf(id)).toEqual({ A: '1' });
    expect((await put(id, { HostData: null })).status).toBe(200);
    expect(await headersOf(id)).toEqual({});
    await put(id, { HostData: { headers: { A: '1' } } });
    expect((await put(id, { HostData: { headers: {} } })).status).toBe(200);
    expect(await headersOf(id)).toEqual({});
  });

  it('is refused together with other Options.Headers when both are new and differ', async () => {
    const id = await create({ ...web, HostData: { headers: { A: '1' } } });
    for (const HostData of [{ headers: { A: '3' } }, null]) {
      const refused = await put(id, { HostData, Options: { Headers: { A: '2' } } });
      expect(faults.parse(refused.json).errors).toEqual([
        { field: 'HostData', message: expect.stringContaining('Options.Headers') },
      ]);
    }
    expect(await headersOf(id)).toEqual({ A: '1' });
    const both = { HostData: { headers: { A: '2' } }, Options: { Headers: { A: '2' } } };
    expect((await put(id, both)).status).toBe(200);
    expect(await headersOf(id)).toEqual({ A: '2' });
    expect((await put(id, { HostData: { headers: { A: '4' } }, Options: { User: 'u' } })).status).toBe(200);
    expect((await get(id)).Options).toEqual({ User: 'u', Headers: { A: '4' } });
  });

  it('is refused with headers for another Method', async () => {
    const tcp = { Method: 'TCP', URL: 'example.org:9', ShortName: 'tcp' };
    const refused = await post({ ...tcp, HostData: { headers: { A: '1' } } });
    expect(faults.parse(refused.json).errors.map(({ field }) => field)).toEqual(['HostData']);
    for (const HostData of [{}, null, { headers: {} }])
      expect((await post({ ...tcp, HostData })).status).toBe(200);
  });
});
