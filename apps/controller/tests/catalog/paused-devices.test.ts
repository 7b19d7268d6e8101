import { lockDevices } from '@vantage/storage';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { loadDevices } from '../../src/agents/assign/assignment-store.ts';
import { createCheckNowRequest } from '../../src/agents/run-requests/run-request-store.ts';
import { realTime } from '../../src/config/time-scale.ts';
import { foldDevices } from '../../src/results/status/fold-store.ts';
import { uptimes } from '../../src/results/status/index.ts';
import { createTimes } from '../../src/results/status/times.ts';
import { openRetrySequence } from '../../src/testing/busy-account-fixture.ts';
import { createRestFixture, type RestFixture } from '../../src/testing/rest-fixture.ts';
import { createSampleAccount } from '../../src/testing/sample-account.ts';

describe('a paused device', () => {
  let rest: RestFixture;
  let key: string;
  let locationNo: number;
  let agentNo: number;
  let deviceNo: number;
  let device_id: string;
  beforeAll(async () => {
    rest = await createRestFixture();
    const account = await rest.account('one');
    locationNo = account.locationNo;
    ({ key } = await rest.key(account.accountNo, 'UW'));
    const sample = await createSampleAccount(rest, account, key);
    ({ agentNo, deviceNo } = sample);
    device_id = sample.ids['device_id'] ?? '';
    await rest.db.kysely.updateTable('locations').set({ online: true, online_since_us: 1 }).execute();
  });
  afterAll(() => rest[Symbol.asyncDispose]());

  const put = (body: object) => rest.send('PUT', `/devices/${device_id}`, { key, body });
  const row = () =>
    rest.db.kysely
      .selectFrom('devices')
      .selectAll()
      .where('device_no', '=', deviceNo)
      .executeTakeFirstOrThrow();
  const types = async () =>
    z
      .array(z.looseObject({ Type: z.string(), Status: z.string() }))
      .parse((await rest.send('GET', `/devices/${device_id}/events`, { key })).json)
      .map(({ Type, Status }) => `${Type} ${Status}`);
  const goDown = async () => {
    const since_us = rest.clock.nowUs() - 60_000_000;
    const { kysely } = rest.db;
    const state = { ...openRetrySequence(since_us, agentNo, locationNo), status: 'Down' };
    await kysely
      .updateTable('device_state')
      .set({ status: 'Down', since_us, retrying: true, state: JSON.stringify(state) })
      .where('device_no', '=', deviceNo)
      .execute();
    await kysely
      .insertInto('status_intervals')
      .values({ device_no: deviceNo, from_us: since_us, status: 'Down' })
      .execute();
  };

  it('waits for results that are being stored before it touches anything of the device', async () => {
    const { kysely } = rest.db;
    const waiting = () =>
      sql`select from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`.execute(kysely);
    const held = await kysely.transaction().execute(async (trx) => {
      await lockDevices(trx, [deviceNo]);
      const pausing = put({ Enabled: false });
      await expect.poll(async () => (await waiting()).rows).toHaveLength(1);
      await sql`select from device_state where device_no = ${deviceNo} for update nowait`.execute(trx);
      return { pausing };
    });
    expect((await held.pausing).status).toBe(200);
    expect((await put({ Enabled: true })).status).toBe(200);
  });

  it('is Unknown; its retries and its outage end, with an event and without an Up', async () => {
    await goDown();
    await rest.db.kysely
      .insertInto('run_requests')
      .values({
        run_request_id: 'r',
        kind: 'Retry',
        device_no: deviceNo,
        agent_no: agentNo,
        location_no: locationNo,
        revision: 1,
        deadline_us: rest.clock.nowUs() + 1e9,
        created_us: rest.clock.nowUs(),
      })
      .execute();
    expect((await rest.send('GET', `/devices/${device_id}`, { key })).json).toMatchObject({
      Status: 'Down',
      Retrying: true,
      Enabled: true,
    });
    expect((await put({ Enabled: false })).json).toMatchObject({
      Status: 'Unknown',
      Retrying: false,
      Enabled: false,
    });
    expect((await types()).slice(0, 2).sort()).toEqual(['Changed Unknown', 'Unknown Unknown']);
    const request = await rest.db.kysely.selectFrom('run_requests').select('state').executeTakeFirstOrThrow();
    expect(request.state).toBe('Expired');
    const outages = await rest.send('GET', `/devices/${device_id}/outages`, { key });
    const [latest] = z.array(z.unknown()).parse(outages.json);
    expect(latest).toMatchObject({ End: expect.any(String), Seconds: 60 });
  });

  it('is in no plan, counts as no load, and its time is Unknown', async () => {
    expect(await loadDevices(rest.db.kysely, locationNo)).toEqual([]);
    expect((await rest.send('GET', '/locations', { key })).json).toMatchObject([{ Load: { Devices: 0 } }]);
    const fromUs = rest.clock.nowUs() + 1_000_000;
    await rest.clock.advance(11_000);
    const nowUs = rest.clock.nowUs();
    const { created_us: createdUs } = await row();
    const figures = await uptimes(rest.db.kysely, {
      devices: [{ deviceNo, createdUs, fromUs }],
      toUs: nowUs,
      nowUs,
    });
    expect(figures.get(deviceNo)).toMatchObject({ UnknownSeconds: 10, Outages: 0 });
  });

  it('keeps its status whatever results come, and may be checked on request', async () => {
    const times = createTimes(realTime);
    const folded = await foldDevices(rest.db.kysely, [deviceNo], times);
    expect(folded.get(deviceNo)?.targetRevision).toBeGreaterThan(1_000_000_000);
    const created = await rest.db.kysely.transaction().execute((trx) =>
      createCheckNowRequest(trx, {
        traceroute: false,
        runRequestId: 'now',
        deviceNo,
        marginUs: 1_000_000,
        nowUs: rest.clock.nowUs(),
      }),
    );
    expect(created).toBeDefined();
  });

  it('is found by Enabled=false, and is Maint in a maintenance window', async () => {
    for (const [query, count] of [
      ['Enabled=false', 1],
      ['Enabled=true', 0],
      ['Enabled=false&Filter=Unknown', 1],
    ] as const)
      expect((await rest.send('GET', `/devices?${query}`, { key })).json).toHaveLength(count);
    expect((await rest.send('GET', '/devices?Enabled=maybe', { key })).json).toMatchObject({ code: 1004 });
    await rest.db.kysely
      .insertInto('maintenance_windows')
      .values({ device_no: deviceNo, from_us: 1, to_us: rest.clock.nowUs() + 1_000_000 })
      .execute();
    expect((await rest.send('GET', `/devices/${device_id}`, { key })).json).toMatchObject({
      Status: 'Maint',
    });
    await rest.db.kysely.deleteFrom('maintenance_windows').execute();
  });

  it('that is enabled again is checked at once, and older results change nothing', async () => {
    const before = await row();
    await rest.clock.advance(1_000);
    expect((await put({ Enabled: true })).json).toMatchObject({ Status: 'Unknown', Enabled: true });
    const after = await row();
    expect(after.target_revision).toBe(before.revision + 1);
    expect(after.changed_us).toBe(rest.clock.nowUs());
    expect(await loadDevices(rest.db.kysely, locationNo)).toMatchObject([{ deviceNo }]);
    expect((await put({ Enabled: true })).status).toBe(200);
    expect((await row()).revision).toBe(after.revision);
  });

  it('may be created so', async () => {
    const body = { Method: 'TCP', URL: 'example.org:9', ShortName: 'p', Enabled: false };
    const { json } = await rest.send('POST', '/devices', { key, body });
    const id = z.object({ device_id: z.string() }).parse(json).device_id;
    expect((await rest.send('GET', `/devices/${id}`, { key })).json).toMatchObject({
      Enabled: false,
      Status: 'Unknown',
    });
  });
});
