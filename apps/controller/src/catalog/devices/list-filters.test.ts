import { newId } from '@vantage/kernel';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { useAccountPerTest } from '../../api/testing/account-per-test.ts';

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
