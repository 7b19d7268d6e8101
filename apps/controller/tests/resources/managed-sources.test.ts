import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type OneAccount, startOneAccount } from '../../src/testing/one-account.ts';

const tcp = { Method: 'TCP', URL: 'example.org:9', ShortName: 'tcp' };
const one = z.looseObject({ ETag: z.string().optional(), Status: z.int(), Body: z.unknown() });
const batchAnswer = z.object({ Results: z.array(one) });

describe('what files manage', () => {
  let account: OneAccount;
  let contact: string;
  beforeAll(async () => {
    account = await startOneAccount();
    contact = await account.create('/contacts', {
      Name: 'noc',
      Type: 'email',
      Address: 'noc@example.org',
      ExternalKey: 'noc',
    });
  });
  afterAll(() => account[Symbol.asyncDispose]());

  const read = async (path: string) => (await account.send('GET', path)).json;
  const bodies: readonly (readonly [string, object])[] = [
    ['/tags', { Name: 'berlin' }],
    ['/contacts', { Name: 'ops', Type: 'email', Address: 'ops@example.org' }],
    ['/nschedules', { Name: 'office', Steps: [] }],
    ['/mschedules', { Name: 'patch', Start: '2026-03-01T02:00', Duration: '01:00' }],
    ['/locations', { Name: 'Oslo' }],
    ['/devices', tcp],
  ];

  it.each(bodies)(
    '%s have a Source that lists are narrowed by, and that a PUT keeps, changes and clears',
    async (path, body) => {
      const id = await account.create(path, { ...body, ExternalKey: `of ${path}`, Source: 'net/berlin' });
      expect(await read(`${path}?Source=net/berlin`)).toMatchObject([{ Source: 'net/berlin' }]);
      expect(await read(`${path}?Source=other`)).toEqual([]);
      await account.send('PUT', `${path}/${id}`, { ExternalKey: `new ${path}` });
      expect(await read(`${path}/${id}`)).toMatchObject({ Source: 'net/berlin', ExternalKey: `new ${path}` });
      const { json } = await account.send('PUT', `${path}/${id}`, { Source: 'other' });
      expect(json).toMatchObject({ Source: 'other' });
      expect(account.rest.recorded.flatMap(({ changes }) => changes).at(-1)).toMatchObject({
        fields: [{ field: 'Source', old: 'net/berlin', new: 'other' }],
      });
      await account.send('PUT', `${path}/${id}`, { Source: null });
      expect(await read(`${path}/${id}`)).toMatchObject({ Source: null });
      const refused = await account.send('PUT', `${path}/${id}`, { Source: 'a\nb' });
      expect(refused.text).toContain('must be 1 to 200 printable characters');
    },
  );

  it('bodies name schedules, masters and contacts by key:EXTERNALKEY; what is not there is refused by its name', async () => {
    const Steps = [{ DelayMinutes: 0, Contacts: ['key:noc'] }];
    const nschedule = await account.create('/nschedules', { Name: 'keyed', ExternalKey: 'keyed', Steps });
    expect(await read(`/nschedules/${nschedule}`)).toMatchObject({ Steps: [{ Contacts: [contact] }] });
    const master = await account.create('/devices', { ...tcp, ExternalKey: 'rt-01' });
    const body = { ...tcp, device_master_id: 'key:rt-01', nschedule_id: 'key:keyed' };
    const id = await account.create('/devices', body);
    const ids = { device_master_id: master, nschedule_id: nschedule };
    expect(await read(`/devices/${id}`)).toMatchObject(ids);
    const made = account.rest.recorded.flatMap(({ changes }) => changes).at(-1);
    expect(made).toMatchObject({
      fields: expect.arrayContaining([{ field: 'device_master_id', old: null, new: master }]),
    });
    await account.send('PUT', `/devices/${id}`, { device_master_id: null, nschedule_id: null });
    expect((await account.send('PUT', `/devices/${id}`, body)).json).toMatchObject(ids);
    const place = await account.create('/locations', { Name: 'Bergen', nschedule_id: 'key:keyed' });
    expect(await read(`/locations/${place}`)).toMatchObject({ nschedule_id: nschedule });
    for (const [path, refused] of [
      ['/devices', { ...tcp, device_master_id: 'key:none' }],
      ['/devices', { ...tcp, nschedule_id: 'key:noc' }],
      ['/locations', { Name: 'Paris', nschedule_id: 'key:none' }],
      ['/nschedules', { Name: 'x', Steps: [{ DelayMinutes: 0, Contacts: ['key:keyed'] }] }],
    ] as const) {
      const { text } = await account.send('POST', path, refused);
      expect(text).toContain('"code":1004');
      expect(text).toContain('key: and its ExternalKey');
    }
    const foreseen = await account.send('POST', '/nschedules/preview', { Steps });
    expect(foreseen.json).toMatchObject([{ Contacts: [{ contact_id: contact }] }]);
  });

  it('states have all settings of each device, as PUT takes them', async () => {
    await account.create('/tags', { Name: 'lab' });
    const ping = { Method: 'PING', URL: '192.0.2.1', ShortName: 'ping', Options: { Count: 3 } };
    const id = await account.create('/devices', { ...ping, Source: 'states', Tags: ['lab'] });
    const [row] = z
      .array(z.looseObject({ Settings: z.record(z.string(), z.unknown()) }))
      .parse(await read('/states?With=Settings&Source=states'));
    expect(row?.Settings).toMatchObject({ ...ping, Attempts: 3, Locations: null, Source: 'states' });
    const whole = z.record(z.string(), z.unknown()).parse(await read(`/devices/${id}`));
    for (const [field, value] of Object.entries(row?.Settings ?? {}))
      if (field !== 'Locations') expect(value, field).toEqual(whole[field]);
    const { json } = await account.send('PUT', `/devices/${id}`, row?.Settings);
    expect(json).toMatchObject({ UpdatedAt: whole['UpdatedAt'] });
    await account.send('PUT', `/devices/${id}`, { Locations: [] });
    expect(await read('/states?With=Settings&Source=states')).toMatchObject([
      { Settings: { Locations: [] } },
    ]);
  });

  it('an operation of a batch compares an ETag that another one gave; a preview changes nothing', async () => {
    const id = await account.create('/tags', { Name: 'before' });
    const send = async (operations: readonly object[], more: object = {}) => {
      const reply = await account.send('POST', '/batch', { ...more, Operations: operations });
      return { status: reply.status, results: batchAnswer.parse(reply.json).Results };
    };
    const get = { Method: 'GET', Path: `/tags/${id}` };
    const put = (Name: string, IfMatch: string) => ({
      Method: 'PUT',
      Path: `/tags/${id}`,
      Body: { Name },
      IfMatch,
    });
    const { results } = await send([get, { Method: 'GET', Path: '/tags' }]);
    const [etag = '', ofList] = results.map(({ ETag }) => ETag);
    expect(etag).toBe((await account.send('GET', `/tags/${id}`)).headers.get('etag'));
    expect(ofList).toBeUndefined();
    const previewed = await send([put('previewed', etag), get], { Atomic: true, Preview: true });
    expect(previewed.results[1]).toMatchObject({ Status: 200, Body: { Name: 'previewed' } });
    expect(await read(`/tags/${id}`)).toMatchObject({ Name: 'before' });
    expect((await send([put('first', etag)], { Atomic: true })).status).toBe(200);
    for (const more of [{}, { Atomic: true }]) {
      const late = await send([put('second', etag)], more);
      expect(late.results[0]).toMatchObject({ Status: 400, Body: { code: 1005 } });
    }
    expect(await read(`/tags/${id}`)).toMatchObject({ Name: 'first' });
    const loose = await account.send('POST', '/batch', { Preview: true, Operations: [get] });
    expect(loose.text).toContain('needs \\"Atomic\\": true');
  });
});
