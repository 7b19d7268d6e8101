import { expect, test } from 'vitest';
import { z } from 'zod';
import { useAccountPerTest } from '../../testing/account-per-test.ts';
import { createSampleAccount } from '../../testing/sample-account.ts';

const api = useAccountPerTest();
const { send, create } = api;

const listed = async () =>
  z
    .array(z.object({ location_id: z.string(), Name: z.string() }))
    .parse((await send('GET', '/locations')).json);
const idOf = async (name: string) => (await listed()).find(({ Name }) => Name === name)?.location_id ?? '';
const tcp = { Method: 'TCP', URL: 'a.example:1', ShortName: 'a' };
const locationsOf = async (deviceId: string) => (await send('GET', `/devices/${deviceId}`)).json;

test('a Location is created, renamed and deleted', async () => {
  const id = await create('/locations', { Name: 'Oslo', PublicTargetsOnly: true });
  expect((await send('GET', `/locations/${id}`)).json).toMatchObject({
    location_id: id,
    Name: 'Oslo',
    PublicTargetsOnly: true,
    Online: false,
    nschedule_id: null,
    Agents: { Count: 0, Connected: 0 },
    Anchors: [],
    AnchorStates: [],
  });
  expect((await send('POST', '/locations', { Name: 'Oslo' })).json).toMatchObject({ code: 1005 });
  expect((await send('PUT', `/locations/${id}`, { Name: 'local' })).json).toMatchObject({ code: 1005 });
  expect((await send('PUT', `/locations/${id}`, { Name: 'Bergen' })).json).toMatchObject({
    location_id: id,
    Name: 'Bergen',
    PublicTargetsOnly: true,
  });
  expect((await send('DELETE', `/locations/${id}`)).json).toEqual({ location_id: id });
  expect((await send('DELETE', `/locations/${id}`)).json).toMatchObject({ code: 1003 });
  expect((await send('GET', `/locations/${id}`)).json).toMatchObject({ code: 1003 });
  expect((await listed()).map(({ Name }) => Name)).toEqual(['local']);
  expect(await create('/locations', { Name: 'Bergen' })).not.toBe(id);
});

test('a Location has an ExternalKey of its own, which a deletion frees', async () => {
  const id = await create('/locations', { Name: 'Oslo', ExternalKey: 'cmdb-1' });
  const found = await send('GET', '/locations?ExternalKey=cmdb-1');
  expect(found.json).toMatchObject([{ location_id: id, ExternalKey: 'cmdb-1' }]);
  const taken = await send('PUT', `/locations/${await idOf('local')}`, { ExternalKey: 'cmdb-1' });
  expect(taken.json).toMatchObject({ code: 1005, message: expect.stringContaining(id) });
  expect((await send('DELETE', `/locations/${id}`)).status).toBe(200);
  const given = await send('PUT', `/locations/${await idOf('local')}`, { ExternalKey: 'cmdb-1' });
  expect(given.json).toMatchObject({ ExternalKey: 'cmdb-1' });
});

test('what GET returned is sent back unchanged, and nothing changes', async () => {
  const id = await create('/locations', { Name: 'Oslo' });
  const { text, json } = await send('GET', `/locations/${id}`);
  const audit = (await send('GET', '/audit')).text;
  expect((await send('PUT', `/locations/${id}`, z.record(z.string(), z.unknown()).parse(json))).text).toBe(
    text,
  );
  expect((await send('GET', '/audit')).text).toBe(audit);
});

test.each([
  [{ Name: '' }, 'Name'],
  [{ Name: 'two\nlines' }, 'Name'],
  [{ Anchors: [{ Name: 'a', Target: 'b' }] }, 'Anchors.0.Target'],
  [{ nschedule_id: 'a'.repeat(48) }, 'nschedule_id'],
  [{ PublicTargetsOnly: 'Y' }, 'PublicTargetsOnly'],
  [{ Color: 'red' }, 'Color'],
])('a wrong field is named: %j', async (body, field) => {
  const reply = await send('PUT', `/locations/${await idOf('local')}`, body);
  expect(reply.json).toMatchObject({ code: 1004, errors: [{ field }] });
});

test('a Location that devices, agents or the account name is not deleted, and they are named', async () => {
  const { ids } = await createSampleAccount(api.rest, api, api.key);
  const local = await idOf('local');
  const refused = await send('DELETE', `/locations/${local}`);
  expect(refused.json).toMatchObject({ code: 1005 });
  for (const text of [ids['device_id'], ids['agent_id']]) expect(refused.text).toContain(text);
  const other = await create('/locations', { Name: 'other' });
  await send('PUT', '/account', { DefaultLocations: ['other'] });
  const asDefault = await send('DELETE', `/locations/${other}`);
  expect(asDefault.json).toMatchObject({ code: 1005, message: expect.stringContaining('other') });
  expect((await listed()).map(({ Name }) => Name)).toEqual(['local', 'other']);
});

test('history shows the new name of a Location, and the name of a deleted one', async () => {
  const { ids, deviceNo } = await createSampleAccount(api.rest, api, api.key);
  const local = await idOf('local');
  const shown = async () => (await send('GET', `/checks/${ids['check_id']}`)).json;
  expect(await shown()).toMatchObject({ Location: 'local' });
  await send('PUT', `/locations/${local}`, { Name: 'Oslo' });
  expect(await shown()).toMatchObject({ Location: 'Oslo' });
  await api.rest.db.kysely.deleteFrom('agents').where('location_no', '=', api.locationNo).execute();
  await send('PUT', '/account', { DefaultLocations: [] });
  await api.rest.db.kysely.deleteFrom('device_locations').where('device_no', '=', deviceNo).execute();
  expect((await send('DELETE', `/locations/${local}`)).status).toBe(200);
  expect(await shown()).toMatchObject({ Location: 'Oslo' });
});

test('devices that name no Locations stay at the Location named local when it gets another name', async () => {
  const id = await create('/devices', tcp);
  expect((await send('PUT', `/locations/${await idOf('local')}`, { Name: 'Oslo' })).status).toBe(200);
  expect(await locationsOf(id)).toMatchObject({ Locations: ['Oslo'], Warnings: [] });
  expect((await send('GET', '/account')).json).toMatchObject({ DefaultLocations: ['Oslo'] });
  expect(await locationsOf(await create('/devices', tcp))).toMatchObject({ Locations: ['Oslo'] });
});

test('a Location that gets the name local checks the devices that name no Locations, when there was none', async () => {
  await api.rest.db.kysely.deleteFrom('locations').where('account_no', '=', api.accountNo).execute();
  const id = await create('/devices', tcp);
  const oslo = await create('/locations', { Name: 'Oslo' });
  expect(await locationsOf(id)).toMatchObject({ Locations: [] });
  await send('PUT', `/locations/${oslo}`, { Name: 'local' });
  expect(await locationsOf(id)).toMatchObject({ Locations: ['local'] });
});

test('PublicTargetsOnly is refused while devices of the Location have private addresses', async () => {
  const id = await create('/devices', { ...tcp, URL: '10.0.0.1:1' });
  const local = await idOf('local');
  const refused = await send('PUT', `/locations/${local}`, { PublicTargetsOnly: true });
  expect(refused.json).toMatchObject({ code: 1005, message: expect.stringContaining(id) });
  await send('DELETE', `/devices/${id}`);
  await create('/devices', tcp);
  expect((await send('PUT', `/locations/${local}`, { PublicTargetsOnly: true })).json).toMatchObject({
    PublicTargetsOnly: true,
  });
  expect((await send('POST', '/devices', { ...tcp, URL: '10.0.0.1:1' })).json).toMatchObject({ code: 1004 });
});

test('of a device that takes a Location and a deletion of it at once, one is refused', async () => {
  for (let round = 0; round < 10; round += 1) {
    const id = await create('/locations', { Name: `race ${round}` });
    const [device, deletion] = await Promise.all([
      send('POST', '/devices', { ...tcp, Locations: [id] }),
      send('DELETE', `/locations/${id}`),
    ]);
    expect([device.status, deletion.status].sort((a, b) => a - b)).toEqual([200, 400]);
  }
});
