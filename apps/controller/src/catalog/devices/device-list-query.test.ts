import { newId } from '@vantage/kernel';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { useAccountPerTest } from '../../testing/account-per-test.ts';

const api = useAccountPerTest();
const rows = z.array(z.object({ ShortName: z.string() }));
const namesOf = async (query: string) =>
  rows.parse((await api.send('GET', `/devices?${query}`)).json).map(({ ShortName }) => ShortName);
const device = (ShortName: string, more: object = {}) =>
  api.create('/devices', { Method: 'TCP', URL: 'example.org:9', ShortName, ...more });

test('devices are narrowed to those behind a master, with a schedule, and in a retry sequence', async () => {
  const contact = await api.create('/contacts', { Name: 'ops', Type: 'email', Address: 'ops@example.org' });
  const Steps = [{ DelayMinutes: 0, Contacts: [contact] }];
  const nschedule_id = await api.create('/nschedules', { Name: 'office', Steps });
  const device_master_id = await device('gw');
  await device('web', { device_master_id, nschedule_id });
  const late = await device('late');
  const { kysely } = api.rest.db;
  await kysely
    .updateTable('device_state')
    .set({ retrying: true })
    .where('device_no', 'in', kysely.selectFrom('devices').select('device_no').where('device_id', '=', late))
    .execute();
  expect(await namesOf(`device_master_id=${device_master_id}`)).toEqual(['web']);
  expect(await namesOf(`nschedule_id=${nschedule_id}`)).toEqual(['web']);
  expect(await namesOf('Retrying=true')).toEqual(['late']);
  expect(await namesOf('Retrying=false')).toEqual(['gw', 'web']);
});

test('an unknown id and an unknown severity are refused', async () => {
  for (const name of ['device_master_id', 'nschedule_id', 'mschedule_id'])
    expect((await api.send('GET', `/devices?${name}=${newId()}`)).json).toMatchObject({ code: 1003 });
  expect((await api.send('GET', '/devices?Severity=urgent')).json).toMatchObject({ code: 1004 });
});

test('several tags, Locations and Methods are joined by commas; a name with a comma in it counts first', async () => {
  for (const Name of ['web', 'shop', 'web,shop', 'idle']) await api.create('/tags', { Name });
  await api.create('/locations', { Name: 'Oslo' });
  await device('a', { Tags: ['web'] });
  await device('b', { Tags: ['shop'], Locations: ['Oslo'] });
  await device('c', { Tags: ['web,shop'], Method: 'PING', URL: 'example.org' });
  await device('d', { Locations: [] });
  expect(await namesOf('Tag=web,idle')).toEqual(['a']);
  expect(await namesOf('Tag=shop,web')).toEqual(['a', 'b']);
  expect(await namesOf('Tag=web,shop')).toEqual(['c']);
  expect(await namesOf('Location=local,Oslo')).toEqual(['a', 'b', 'c']);
  expect(await namesOf('Location=local,Oslo&Filter=Unknown&Sort=-ShortName')).toEqual(['c', 'b', 'a']);
  expect(await namesOf('Method=PING')).toEqual(['c']);
  expect(await namesOf('Method=PING,TCP&Tag=shop,web')).toEqual(['a', 'b']);
  const { headers } = await api.send('GET', '/devices?Location=Oslo,local&Limit=1');
  expect(headers.get('X-Total-Count')).toBe('3');
  for (const [query, code] of [
    ['Tag=web,none', 1003],
    ['Location=local,none', 1003],
    ['Method=PING,ping', 1004],
    [`Tag=${'web,'.repeat(50)}web`, 1004],
  ] as const)
    expect((await api.send('GET', `/devices?${query}`)).json).toMatchObject({ code });
});

test('in every list that has them, tags, Locations and devices are one or several; what is empty is 1004', async () => {
  const ids = { Tag: 'web', Location: 'local', Device: await device('a', { Tags: [] }) };
  await api.create('/tags', { Name: 'web' });
  const placeholders: Readonly<Record<string, string>> = { device_id: ids.Device };
  let asked = 0;
  for (const { method, path, query } of api.rest.routes) {
    if (method !== 'GET') continue;
    const own = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => placeholders[name] ?? newId());
    for (const name of Object.keys(query?.shape ?? {})) {
      const ask = async (value: string) => (await api.send('GET', `${own}?${name}=${value}`)).json;
      if (name !== 'stream')
        expect([own, name, await ask('')]).toMatchObject([
          own,
          name,
          { code: 1004, errors: [{ field: name }] },
        ]);
      const value = Object.entries(ids).find(([each]) => each === name)?.[1];
      if (value === undefined || path === '/maintenance/{maintenance_id}') continue;
      asked += 1;
      expect([own, name, await ask(`${value},${value}`)]).toEqual([own, name, await ask(value)]);
      if (path !== '/alerts' || name !== 'Device')
        expect([own, name, await ask(`${value},${newId()}`)]).toMatchObject([own, name, { code: 1003 }]);
    }
  }
  expect(asked).toBeGreaterThan(12);
});
