import { newId } from '@vantage/kernel';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { useAccountPerTest } from '../../testing/account-per-test.ts';

describe('notification schedules', () => {
  const api = useAccountPerTest('Europe/Berlin');
  const { send, create, message } = api;
  let contact: string;
  beforeEach(async () => {
    contact = await create('/contacts', { Name: 'NOC', Type: 'email', Address: 'noc@example.org' });
  });

  const step = (more: object = {}) => ({ DelayMinutes: 0, Contacts: [contact], ...more });

  it("are stored as they are shown, without what is not set, in the account's zone unless they name one", async () => {
    const full = {
      DelayMinutes: 15,
      Contacts: [contact],
      Days: ['Sat', 'Sun'],
      From: '22:00',
      To: '06:00',
      RepeatMinutes: 60,
      Severities: ['critical', 'warning'],
    };
    const sent = step({ Days: null, From: null, To: null, RepeatMinutes: null, Severities: null });
    const id = await create('/nschedules', { Name: 'Night', Steps: [sent, full], ExternalKey: 'n' });
    const shown = {
      nschedule_id: id,
      Name: 'Night',
      Timezone: 'Europe/Berlin',
      Steps: [step(), full],
      ExternalKey: 'n',
      Source: null,
      CreatedAt: expect.any(String),
      UpdatedAt: expect.any(String),
    };
    expect((await send('GET', `/nschedules/${id}`)).json).toEqual(shown);
    expect((await send('GET', '/nschedules?ExternalKey=n')).json).toEqual([shown]);
    const { steps } = await api.rest.db.kysely
      .selectFrom('nschedules')
      .select('steps')
      .where('nschedule_id', '=', id)
      .executeTakeFirstOrThrow();
    expect(steps).toEqual(shown.Steps);
    const changed = await send('PUT', `/nschedules/${id}`, { Timezone: 'Asia/Tokyo', Steps: [step()] });
    expect(changed.json).toEqual({ ...shown, Timezone: 'Asia/Tokyo', Steps: [step()] });
    expect((await send('PUT', `/nschedules/${id}`, { Timezone: null })).json).toMatchObject({
      Timezone: 'Europe/Berlin',
    });
    expect((await send('GET', `/audit?Id=${id}&Limit=1`)).json).toMatchObject([
      { Kind: 'nschedule', Changes: [{ Field: 'Timezone', Old: 'Asia/Tokyo', New: 'Europe/Berlin' }] },
    ]);
  });

  it.each([
    [{ DelayMinutes: -1 }, 'Steps.0.DelayMinutes must be a whole number from 0 to 10080'],
    [{ DelayMinutes: null }, 'Steps.0.DelayMinutes must be a whole number from 0 to 10080'],
    [{ Contacts: [] }, 'Steps.0.Contacts must be'],
    [{ Contacts: ['x'] }, 'Steps.0.Contacts.0 must be the id of a contact of this account, but "x" was sent'],
    [{ Contacts: [newId()] }, 'Steps.0.Contacts.0 must be the id of a contact of this account'],
    [
      { Contacts: Array.from({ length: 51 }, () => newId()) },
      'Steps.0.Contacts must be a list of at most 50 entries',
    ],
    [{ Days: ['Monday'] }, 'Steps.0.Days.0 must be one of "Mon"'],
    [{ Days: [] }, 'Steps.0.Days must be'],
    [{ From: '8:00' }, 'Steps.0.From must be a time of day as HH:MM from 00:00 to 23:59, for example 08:00'],
    [{ From: '24:00' }, 'Steps.0.From must be a time of day as HH:MM from 00:00 to 23:59, for example 08:00'],
    [{ To: 18 }, 'Steps.0.To must be a time of day as HH:MM from 00:00 to 23:59, for example 18:00'],
    [{ From: '08:00', To: '08:00' }, 'Steps.0.To must differ from From; leave both out for the whole day'],
    [{ RepeatMinutes: 0 }, 'Steps.0.RepeatMinutes must be a whole number from 1 to 10080'],
    [{ Severities: ['bad'] }, 'Steps.0.Severities.0 must be one of "critical"'],
    [{ Minutes: 5 }, 'Steps.0.Minutes is not a known field'],
  ])('a step with %j is refused: %s', async (more, reason) => {
    const said = await message('POST', '/nschedules', { Name: 'a', Steps: [step(more)] });
    expect(said.slice(0, 5 + reason.length)).toBe(`1004 ${reason}`);
  });

  it('the contact of another account is unknown', async () => {
    const other = await api.rest.account(`other of ${api.accountNo}`);
    const foreign = await api.rest.key(other.accountNo, 'UW');
    const body = { Name: 'a', Steps: [step()] };
    expect((await api.rest.send('POST', '/nschedules', { ...foreign, body })).json).toMatchObject({
      code: 1004,
      errors: [{ field: 'Steps.0.Contacts.0' }],
    });
  });

  it('a refusal names the faults of all steps and fields', async () => {
    const { json } = await send('POST', '/nschedules', {
      Timezone: 'CET+1',
      Steps: [step({ Contacts: ['x', contact, 'y'] }), step()],
    });
    const { errors } = z.object({ errors: z.array(z.object({ field: z.string() })) }).parse(json);
    expect(errors.map(({ field }) => field)).toEqual([
      'Name',
      'Timezone',
      'Steps.0.Contacts.0',
      'Steps.0.Contacts.2',
    ]);
  });

  it('have at most 20 steps, and an account at most 200 schedules', async () => {
    const steps = Array.from({ length: 21 }, () => step());
    expect(await message('POST', '/nschedules', { Name: 'a', Steps: steps })).toContain(
      'a list of at most 20 entries',
    );
    await api.rest.db.kysely
      .insertInto('nschedules')
      .values(
        Array.from({ length: 200 }, () => ({ nschedule_id: newId(), account_no: api.accountNo, name: 'n' })),
      )
      .execute();
    expect(await message('POST', '/nschedules', { Name: 'a', Steps: [] })).toBe(
      '1004 The account has 200 notification schedules, which is the limit. Delete one that is no longer needed.',
    );
  });

  it('are named by devices, Locations and the account; one that is used is not deleted', async () => {
    const id = await create('/nschedules', { Name: 'All', Steps: [step()] });
    const device = { Method: 'TCP', URL: 'a.example:1', ShortName: 'web' };
    const deviceId = await create('/devices', { ...device, nschedule_id: id });
    const locationId = await create('/locations', { Name: 'Oslo', nschedule_id: id });
    await send('PUT', '/account', { nschedule_id: id });
    for (const path of [`/devices/${deviceId}`, `/locations/${locationId}`, '/account'])
      expect((await send('GET', path)).json).toMatchObject({ nschedule_id: id });
    expect(await message('DELETE', `/nschedules/${id}`)).toBe(
      `1005 Notification schedule All cannot be deleted while these use it: device web (${deviceId}), Location Oslo (${locationId}), the account.`,
    );
    expect(await message('DELETE', `/contacts/${contact}`)).toContain(`1005 Contact NOC cannot be deleted`);
    await send('PUT', `/devices/${deviceId}`, { nschedule_id: null });
    await send('PUT', '/account', { nschedule_id: null });
    expect((await send('PUT', `/locations/${locationId}`, { nschedule_id: null })).json).toMatchObject({
      nschedule_id: null,
    });
    expect((await send('GET', `/audit?Id=${locationId}&Limit=1`)).json).toMatchObject([
      { Changes: [{ Field: 'nschedule_id', Old: id, New: null }] },
    ]);
    await send('PUT', `/locations/${locationId}`, { nschedule_id: id });
    expect((await send('DELETE', `/locations/${locationId}`)).status).toBe(200);
    expect((await send('DELETE', `/nschedules/${id}`)).json).toEqual({ nschedule_id: id });
    expect((await send('DELETE', `/contacts/${contact}`)).status).toBe(200);
  });

  it('a Location refuses an id that no schedule of the account has', async () => {
    const text = 'nschedule_id must be the id of a notification schedule of this account, or null';
    for (const nschedule_id of ['x', newId()]) {
      expect(await message('POST', '/locations', { Name: 'Oslo', nschedule_id })).toContain(`1004 ${text}`);
      const id = await create('/locations', { Name: newId() });
      expect(await message('PUT', `/locations/${id}`, { nschedule_id })).toContain(`1004 ${text}`);
    }
  });

  it('a device that is created while its schedule is deleted names a schedule that exists, or is refused', async () => {
    for (let round = 0; round < 5; round += 1) {
      const id = await create('/nschedules', { Name: `round ${round}`, Steps: [] });
      const body = { Method: 'TCP', URL: 'a.example:1', ShortName: 'web', nschedule_id: id };
      const [made, gone] = await Promise.all([
        send('POST', '/devices', body),
        send('DELETE', `/nschedules/${id}`),
      ]);
      expect([made.status, gone.status].toSorted((a, b) => a - b)).toEqual([200, 400]);
    }
  });
});
