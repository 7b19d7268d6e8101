import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { recordEvents } from '../events/index.ts';
import { createRestHealth } from '../health/index.ts';
import type { AccountApi } from './testing/one-account.ts';
import { type Rest, startRest } from './testing/rest.ts';
import { addScopedAccount } from './testing/scoped-account.ts';

let rest: Rest;
beforeAll(async () => {
  rest = await startRest({
    health: ({ kysely }, clock) => createRestHealth({ kysely, clock, recordEvents }),
  });
});
afterAll(() => rest[Symbol.asyncDispose]());

describe('what a limited writer could reach through the devices of the scope', () => {
  let account: Awaited<ReturnType<typeof addScopedAccount>>;
  let key = '';
  const send: AccountApi['send'] = (method, path, body) => account.send(method, path, body, { key });
  beforeAll(async () => {
    account = await addScopedAccount(rest, 'reach');
    key = await account.keyOf('UA');
  });
  const master = (device: number, of: number | null) =>
    sql`update devices set master_no = ${of} where device_no = ${device}`.execute(rest.db.kysely);

  test('a circle of masters over a device outside is found', async () => {
    const tagged = { Method: 'TCP', URL: 'a.example:1', ShortName: 'c', Tags: ['mine'] };
    const third = await account.create('/devices', tagged);
    const { rows } = await sql<{
      no: number;
    }>`select device_no as no from devices where device_id = ${third}`.execute(rest.db.kysely);
    // third is behind foreign, which is behind own: own cannot be behind third.
    await master(account.foreign.no, account.own.no);
    await master(rows[0]?.no ?? 0, account.foreign.no);
    const refused = await send('PUT', `/devices/${account.own.id}`, { device_master_id: third });
    expect(refused.json).toMatchObject({ code: 1004 });
    await master(rows[0]?.no ?? 0, null);
    await master(account.foreign.no, null);
  });

  test('a device that is the master of one outside is not deleted', async () => {
    await master(account.foreign.no, account.own.no);
    const refused = await send('DELETE', `/devices/${account.own.id}`);
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining('outside the tags of your key'),
    ]);
    expect(refused.json).toMatchObject({ code: 1005 });
    await master(account.foreign.no, null);
  });

  test('an ExternalKey and an e-mail address that somebody outside has are taken', async () => {
    await account.send('PUT', `/devices/${account.foreign.id}`, { ExternalKey: 'k1' });
    const key1 = await send('PUT', `/devices/${account.own.id}`, { ExternalKey: 'k1' });
    expect(key1.json).toMatchObject({ code: 1005 });
    const person = { Name: 'Ada', Email: 'ada@reach.example', Level: 'UR' };
    expect((await account.send('POST', '/users', person)).status).toBe(200);
    expect((await send('POST', '/users', { ...person, Tags: ['mine'] })).json).toMatchObject({ code: 1005 });
    const operation = { Method: 'PUT', Path: `/devices/${account.own.id}`, Body: { ExternalKey: 'k1' } };
    const batch = await send('POST', '/batch', { Operations: [operation, { Method: 'GET', Path: '/tags' }] });
    expect(batch.json).toMatchObject({ Results: [{ Status: 400, Body: { code: 1005 } }, { Status: 200 }] });
  });

  test('an alert about a Location belongs to the whole account', async () => {
    const { alert } = account.own;
    await sql`update alerts set device_no = null, device_id = null, kind = 'location.offline' where alert_id = ${alert}`.execute(
      rest.db.kysely,
    );
    expect((await send('PUT', `/alerts/${alert}/acknowledge`, {})).json).toMatchObject({ code: 1003 });
    expect((await send('PUT', '/alerts/acknowledge', { Filter: {} })).status).toBe(200);
    expect((await account.send('GET', `/alerts/${alert}`)).json).toMatchObject({ State: 'Open' });
  });

  test('an occurrence of a maintenance schedule belongs to the whole account', async () => {
    const mschedule_id = account.whole.ids['mschedule_id'];
    for (const { id } of [account.own, account.foreign])
      expect((await account.send('PUT', `/devices/${id}`, { mschedule_id })).status).toBe(200);
    const listed = z
      .array(z.object({ maintenance_id: z.string(), Source: z.string() }))
      .parse((await send('GET', '/maintenance')).json);
    const planned = listed.find(({ Source }) => Source === 'Schedule');
    expect(planned).toBeDefined();
    const refused = await send('DELETE', `/maintenance/${planned?.maintenance_id}`);
    expect(refused.json).toMatchObject({ code: 1002 });
    const { rows } = await sql`select from cancelled_occurrences`.execute(rest.db.kysely);
    expect(rows).toEqual([]);
  });
});
