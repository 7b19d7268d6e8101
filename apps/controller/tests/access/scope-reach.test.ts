import { checkId } from '@vantage/domain';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { recordEvents } from '../../src/results/events/record-events.ts';
import { createRestHealth } from '../../src/results/status/index.ts';
import type { AccountApi } from '../../src/testing/one-account.ts';
import { createRestFixture, type RestFixture, triedWell } from '../../src/testing/rest-fixture.ts';
import { addScopedAccount } from '../../src/testing/scoped-account.ts';

let rest: RestFixture;
/** The check that is made on request. */
let traced = '';
let trials = 0;
beforeAll(async () => {
  rest = await createRestFixture({
    checkNow: async () => ({ kind: 'done', checkId: traced }),
    runTrial: async (trial, signal) => {
      trials += 1;
      return triedWell(trial, signal);
    },
    health: (_, clock) => createRestHealth({ clock, recordEvents }),
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

  test('a trial sees the scope only, and sends no secret of the account', async () => {
    const body = { Method: 'HTTP', URL: 'http://a.example/', Location: 'local' };
    expect((await send('POST', '/checks/trial', { ...body, Tags: ['mine'] })).status).toBe(200);
    const refused = [
      { Options: { Headers: { 'X-Stolen': `\${secret:kept}` } } },
      { device_master_id: account.foreign.id },
      { Tags: ['theirs'] },
      { Method: 'TCP', URL: 'a.example:1', device_id: account.foreign.id },
    ];
    const before = trials;
    for (const more of refused)
      expect((await send('POST', '/checks/trial', { ...body, ...more })).json).toMatchObject({ code: 1004 });
    expect(trials).toBe(before);
    // Without the limit each of them is good.
    for (const more of refused)
      expect((await account.send('POST', '/checks/trial', { ...body, ...more })).status).toBe(200);
  });

  test('a traceroute on request suggests no master outside', async () => {
    const { own, foreign, whole } = account;
    const address = '192.0.2.77';
    const stored = (no: number, extended: object) =>
      sql`update check_rows set extended = ${JSON.stringify(extended)}::jsonb where device_no = ${no}`.execute(
        rest.db.kysely,
      );
    await stored(foreign.no, { Address: address });
    const Hops = [
      { TTL: 1, Address: address, RTTMs: 0.1 },
      { TTL: 2, Address: '192.0.2.99', RTTMs: 0.2 },
    ];
    await stored(own.no, { Address: '192.0.2.99', Traceroute: { Reached: true, Hops } });
    traced = checkId({
      deviceNo: own.no,
      startUs: rest.clock.nowUs() - 20_000_000,
      agentNo: whole.agentNo,
    });
    // Those of failed checks count, from the last change of the target on.
    await sql`update check_rows set code = 2 where device_no = ${own.no}`.execute(rest.db.kysely);
    await sql`update devices set changed_us = 1 where device_no = ${own.no}`.execute(rest.db.kysely);
    const path = `/devices/${own.id}/traceroute`;
    expect((await account.send('POST', path)).json).toMatchObject({ SuggestedMaster: foreign.id });
    expect((await send('POST', path)).json).toMatchObject({ SuggestedMaster: null });
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
