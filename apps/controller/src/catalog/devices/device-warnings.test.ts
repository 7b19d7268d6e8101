import { newId } from '@vantage/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createRestFixture, type RestFixture } from '../../testing/rest-fixture.ts';

describe('devices', () => {
  let rest: RestFixture;
  let key: string;
  let accountNo: number;
  beforeAll(async () => {
    rest = await createRestFixture();
    ({ accountNo } = await rest.account('one', 'Europe/Berlin'));
    ({ key } = await rest.key(accountNo, 'UW'));
  });
  afterAll(() => rest[Symbol.asyncDispose]());

  const idAnswer = z.strictObject({ device_id: z.string() });
  const tcp = { Method: 'TCP', URL: 'example.org:9', ShortName: 'tcp-1' };
  const get = async (id: string) => (await rest.send('GET', `/devices/${id}`, { key })).json;
  const refused = async (sending: Promise<{ json: unknown }>) =>
    z.object({ code: z.int() }).parse((await sending).json);

  it('warn of a private address with several Locations, in the header and in Warnings', async () => {
    const second = await rest.db.kysely
      .insertInto('locations')
      .values({ location_id: newId(), account_no: accountNo, name: 'second' })
      .returning('location_id')
      .executeTakeFirstOrThrow();
    const body = { ...tcp, URL: '10.0.0.1:9', Locations: ['local', second.location_id, 'local'] };
    const { headers, json } = await rest.send('POST', '/devices', { key, body });
    expect(headers.get('vantage-warning')).toContain('10.0.0.1 is a private address');
    const id = idAnswer.parse(json).device_id;
    expect(await get(id)).toMatchObject({
      Locations: ['local', 'second'],
      Warnings: [expect.stringContaining('private address')],
    });
    await rest.send('PUT', `/devices/${id}`, { key, body: { Locations: ['local'] } });
    expect(await get(id)).toMatchObject({ Locations: ['local'], Warnings: [] });
    const events = (await rest.send('GET', `/devices/${id}/events?Limit=1`, { key })).json;
    expect(events).toMatchObject([{ Type: 'Changed', Message: 'tcp-1 was changed: Locations' }]);
  });

  it('warn of an overloaded Location', async () => {
    const place = await rest.db.kysely
      .insertInto('locations')
      .values({ location_id: newId(), account_no: accountNo, name: 'small' })
      .returning('location_no')
      .executeTakeFirstOrThrow();
    const agent = {
      agent_id: newId(),
      account_no: accountNo,
      name: 'a',
      token_hash: Buffer.from(newId(), 'hex'),
      token_expires_us: 1,
    };
    await rest.db.kysely
      .insertInto('agents')
      .values({ ...agent, location_no: place.location_no, state: 'Connected', capacity: 1 })
      .execute();
    const warning = async () =>
      (
        await rest.send('POST', '/devices', { key, body: { ...tcp, Frequency: 2, Locations: ['small'] } })
      ).headers.get('vantage-warning');
    expect([await warning(), await warning(), await warning()]).toEqual([
      null,
      null,
      expect.stringContaining('overloaded'),
    ]);
  });

  it('are listed by Filter and page', async () => {
    const list = async (query: string) => rest.send('GET', `/devices${query}`, { key });
    const all = await list('?Limit=100');
    const total = Number(all.headers.get('x-total-count'));
    expect(z.array(z.unknown()).parse(all.json)).toHaveLength(total);
    const page = await list(`?Limit=2&Offset=1&api_key=${key}`);
    expect(page.json).toEqual(z.array(z.unknown()).parse(all.json).slice(1, 3));
    expect(page.headers.get('link')).toBe('</v1.1/devices?Limit=2&Offset=3>; rel="next"');
    expect((await list(`?Limit=2&Offset=${total - 2}`)).headers.get('link')).toBeNull();
    expect((await list('?Filter=Unknown&Limit=999')).headers.get('x-total-count')).toBe(String(total));
    for (const filter of ['Ok', 'Down', 'Maint']) expect((await list(`?Filter=${filter}`)).json).toEqual([]);
    expect(await refused(list(`?Filter=${newId()}`))).toMatchObject({ code: 1003 });
    for (const bad of [
      'Filter=up',
      'Limit=0',
      'Limit=-1',
      'Limit=1e9',
      'Limit=',
      'Offset=',
      'Offset=+1',
      'Limit=1&Limit=2',
    ])
      expect(await refused(list(`?${bad}`))).toMatchObject({ code: 1004 });
  });
});
