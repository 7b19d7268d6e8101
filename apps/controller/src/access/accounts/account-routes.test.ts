import { newId } from '@vantage/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createRestFixture, type RestFixture } from '../../testing/rest-fixture.ts';

describe('the account', () => {
  let rest: RestFixture;
  let key: string;
  let accountNo: number;
  beforeAll(async () => {
    rest = await createRestFixture();
    ({ accountNo } = await rest.account('one', 'Europe/Berlin'));
    await rest.account('two');
    ({ key } = await rest.key(accountNo, 'UW'));
  });
  afterAll(() => rest[Symbol.asyncDispose]());
  const put = (body: object) => rest.send('PUT', '/account', { key, body });

  it('is read, changed in part and takes itself back', async () => {
    const { json } = await rest.send('GET', '/account', { key });
    expect(json).toMatchObject({
      Name: 'one',
      Timezone: 'Europe/Berlin',
      DefaultLocations: null,
      RetentionDays: 30,
    });
    expect((await put(z.record(z.string(), z.unknown()).parse(json))).json).toEqual(json);
    expect((await put({ Timezone: 'Asia/Tokyo' })).json).toMatchObject({
      Name: 'one',
      Timezone: 'Asia/Tokyo',
    });
    const { json: created } = await rest.send('POST', '/devices', {
      key,
      body: { Method: 'TCP', URL: 'a.example:1', ShortName: 'a' },
    });
    const { device_id } = z.object({ device_id: z.string() }).parse(created);
    expect((await rest.send('GET', `/devices/${device_id}`, { key })).json).toMatchObject({
      CreatedAt: expect.stringMatching(/\+09:00$/),
    });
  });

  it('has days of expiry warnings, which fall; null are the standard ones', async () => {
    for (const days of [[60, 30, 0], [], null])
      expect((await put({ ExpiryWarningDays: days })).json).toMatchObject({ ExpiryWarningDays: days });
    const { json: created } = await rest.send('POST', '/devices', {
      key,
      body: { Method: 'TCP', URL: 'a.example:1', ShortName: 'a', ExpiryWarningDays: [20, 10] },
    });
    const { device_id } = z.object({ device_id: z.string() }).parse(created);
    const path = `/devices/${device_id}`;
    const { json: device } = await rest.send('GET', path, { key });
    expect(device).toMatchObject({ ExpiryWarningDays: [20, 10] });
    const taken = await rest.send('PUT', path, {
      key,
      body: z.record(z.string(), z.unknown()).parse(device),
    });
    expect(taken.json).toEqual(device);
    for (const days of [[], null])
      expect((await rest.send('PUT', path, { key, body: { ExpiryWarningDays: days } })).json).toMatchObject({
        ExpiryWarningDays: days,
      });
    for (const wrong of [
      [7, 14],
      [7, 7],
      [366],
      [-1],
      [1.5],
      ['7'],
      7,
      Array.from({ length: 11 }, (_, n) => 90 - n),
    ])
      for (const answer of [
        await put({ ExpiryWarningDays: wrong }),
        await rest.send('PUT', path, { key, body: { ExpiryWarningDays: wrong } }),
      ])
        expect(answer.json).toMatchObject({
          code: 1004,
          message: expect.stringContaining('ExpiryWarningDays'),
        });
  });

  it('shows what it has of each kind, and may have, to who is not limited to tags', async () => {
    const read = async () => (await rest.send('GET', '/account/limits', { key })).json as { Kind: string }[];
    const before = await read();
    expect(before).toHaveLength(13);
    expect(before).toContainEqual({ Kind: 'tags', Used: 0, Most: 10_000 });
    await rest.send('POST', '/tags', { key, body: { Name: 'oslo' } });
    const changed = { Kind: 'tags', Used: 1, Most: 10_000 };
    expect(await read()).toEqual(before.map((each) => (each.Kind === 'tags' ? changed : each)));
    const { key: limited, keyNo } = await rest.key(accountNo, 'UW');
    await rest.db.kysely.updateTable('api_keys').set({ tag_nos: [] }).where('key_no', '=', keyNo).execute();
    expect((await rest.send('GET', '/account/limits', { key: limited })).json).toMatchObject({ code: 1002 });
  });

  it('stores the time zone in its own letter case', async () => {
    expect((await put({ Timezone: 'europe/paris' })).json).toMatchObject({ Timezone: 'Europe/Paris' });
    const { json } = await rest.send('POST', '/nschedules', {
      key,
      body: { Name: 'n', Timezone: 'america/new_york', Steps: [] },
    });
    const { nschedule_id: id } = json as { readonly nschedule_id: string };
    expect((await rest.send('GET', `/nschedules/${id}`, { key })).json).toMatchObject({
      Timezone: 'America/New_York',
    });
    await put({ Timezone: 'Europe/Berlin' });
  });

  it('names what is wrong', async () => {
    const { json } = await put({
      Timezone: '+02:00',
      DefaultLocations: ['nowhere'],
      nschedule_id: newId(),
      x: 1,
    });
    expect(json).toMatchObject({ code: 1004 });
    expect(
      z
        .object({ errors: z.array(z.object({ field: z.string() })) })
        .parse(json)
        .errors.map(({ field }) => field)
        .sort(),
    ).toEqual(['DefaultLocations', 'Timezone', 'nschedule_id', 'x']);
  });

  it("keeps its Name, which is the operator's, and does not reveal the names of other accounts", async () => {
    for (const Name of ['two', 'nobody', '', 5]) {
      const { status, json } = await put({ Name });
      expect([status, json]).toEqual([200, expect.objectContaining({ Name: 'one' })]);
    }
  });

  it('may be sent back unchanged before the Location local exists, and new devices are checked there later', async () => {
    const { account_no } = await rest.db.kysely
      .insertInto('accounts')
      .values({ account_id: newId(), name: 'empty', timezone: 'UTC' })
      .returning('account_no')
      .executeTakeFirstOrThrow();
    const own = await rest.key(account_no, 'UW');
    const { json } = await rest.send('GET', '/account', own);
    expect((await rest.send('PUT', '/account', { ...own, body: json })).json).toEqual(json);
    await rest.db.kysely
      .insertInto('locations')
      .values({ location_id: newId(), account_no, name: 'local' })
      .execute();
    const body = { Method: 'TCP', URL: 'a.example:1', ShortName: 'a' };
    const created = await rest.send('POST', '/devices', { ...own, body });
    const { device_id } = z.object({ device_id: z.string() }).parse(created.json);
    expect((await rest.send('GET', `/devices/${device_id}`, own)).json).toMatchObject({
      Locations: ['local'],
    });
  });

  it('moves the devices that name no Locations when its default ones change', async () => {
    const device = async (more: object) =>
      z.object({ device_id: z.string() }).parse(
        (
          await rest.send('POST', '/devices', {
            key,
            body: { Method: 'TCP', URL: 'a.example:1', ShortName: 'a', ...more },
          })
        ).json,
      ).device_id;
    const [open, fixed] = [await device({}), await device({ Locations: ['local'] })];
    await rest.db.kysely
      .insertInto('locations')
      .values({ location_id: newId(), account_no: accountNo, name: 'north' })
      .execute();
    const places = async (id: string) => (await rest.send('GET', `/devices/${id}`, { key })).json;
    expect(await places(open)).toMatchObject({ Locations: ['local'] });
    expect((await put({ DefaultLocations: ['north', 'local'] })).json).toMatchObject({
      DefaultLocations: ['north', 'local'],
    });
    expect(await places(open)).toMatchObject({ Locations: ['north', 'local'] });
    expect(await places(fixed)).toMatchObject({ Locations: ['local'] });
    expect((await put({ DefaultLocations: [] })).json).toMatchObject({ DefaultLocations: [] });
    expect(await places(open)).toMatchObject({
      Locations: [],
      Warnings: [expect.stringContaining('never checked')],
    });
    expect((await put({ DefaultLocations: null })).json).toMatchObject({ DefaultLocations: null });
    expect(await places(open)).toMatchObject({ Locations: ['local'], Warnings: [] });
  });
});
