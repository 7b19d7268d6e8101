import { create } from '@bufbuild/protobuf';
import { checkId, minuteUs } from '@vantage/domain';
import { createLog, newId } from '@vantage/kernel';
import { BatchSchema } from '@vantage/proto';
import { createPartitions } from '@vantage/storage';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { runRequests } from '../../src/agents/run-requests/index.ts';
import type { CheckNowResult } from '../../src/reading/history/check-routes.ts';
import { createIngest } from '../../src/results/ingest/ingest.ts';
import { rollUps } from '../../src/results/roll-up/index.ts';
import { createRestFixture, type RestFixture } from '../../src/testing/rest-fixture.ts';
import { addChecks, createSampleAccount, type SampleAccount } from '../../src/testing/sample-account.ts';

const problem = z.object({ code: z.int(), message: z.string() });
const check = z.object({ check_id: z.string(), RequestTime: z.number(), Timestamp: z.string() });

describe('what was seen', () => {
  let rest: RestFixture;
  let key: string;
  let sample: SampleAccount;
  let place: { accountNo: number; locationNo: number };
  let nowResult: CheckNowResult = { kind: 'noAgent', message: 'Location local has no agent.' };
  let device = '';
  beforeAll(async () => {
    rest = await createRestFixture({ checkNow: async () => nowResult });
    place = await rest.account('one', 'Asia/Kathmandu');
    ({ key } = await rest.key(place.accountNo, 'UW'));
    sample = await createSampleAccount(rest, place, key);
    device = `/devices/${sample.ids['device_id']}`;
    const who = { ...place, deviceNo: sample.deviceNo, agentNo: sample.agentNo };
    await addChecks(
      rest,
      who,
      Array.from({ length: 120 }, (_, i) => rest.clock.nowUs() - (i + 1) * minuteUs),
    );
  });
  afterAll(() => rest[Symbol.asyncDispose]());
  const get = (path: string) => rest.send('GET', path, { key });

  it('is read as check records whose phases add up', async () => {
    const { json } = await get(`/checks/${sample.ids['check_id']}`);
    expect(json).toEqual({
      check_id: sample.ids['check_id'],
      device_id: sample.ids['device_id'],
      Location: 'local',
      Timestamp: '2026-09-21T19:57:50+05:45',
      BlockTime: 1.5,
      DNSTime: 0,
      ConnectTime: 1.1,
      SSLTime: 0,
      TTFB: 2.05,
      TTLB: 1.05,
      RequestTime: 4.2,
      Kbps: 2580.645,
      PerfStat: 'Ok',
      ResultCode: 1,
      DataSize: 1000,
      CheckResult: 'connected',
    });
    expect((await get(`/checks/${sample.ids['check_id']}/extended`)).json).toMatchObject({
      Timestamp: '2026-09-21T19:57:50.000000+05:45',
      Agent: 'agent',
      Attempt: 0,
      Extended: { Address: '127.0.0.1' },
    });
    expect((await get('/devices')).json).toMatchObject([{ LastCheckResult: 'connected' }]);
  });

  it('shows diagnostics that came after the verdict', async () => {
    const { db, clock } = rest;
    const fold = async () => {};
    const log = createLog('test', 'silent');
    const ingest = createIngest({
      db,
      clock,
      log,
      fold,
      rollUps,
      runRequests,
      retentionDays: 3,
      partitions: createPartitions({ db, clock, log, retentionDays: 3 }),
    });
    const startUs = clock.nowUs() - minuteUs;
    // Nothing is accepted from before a device existed.
    const exists = (us: number) =>
      sql`update devices set created_us = created_us + ${us} where device_no = ${sample.deviceNo}`.execute(
        db.kysely,
      );
    await exists(-10 * minuteUs);
    const extendedJson = JSON.stringify({ Traceroute: { Reached: false, Hops: [] } });
    const value = { deviceNo: sample.deviceNo, startUs: BigInt(startUs), extendedJson };
    const records = [{ record: { case: 'diagnostics' as const, value } }];
    const sender = { ...place, agentNo: sample.agentNo };
    await ingest.accept(sender, create(BatchSchema, { batchId: 1n, records }));
    await exists(10 * minuteUs);
    const id = checkId({ deviceNo: sample.deviceNo, startUs, agentNo: sample.agentNo });
    expect((await get(`/checks/${id}/extended`)).json).toMatchObject({
      Extended: { Address: '127.0.0.1', Traceroute: { Reached: false, Hops: [] } },
    });
  });

  it('comes newest first, page by page, never more than 100', async () => {
    const first = await get(`${device}/checks?Limit=1000`);
    const second = await get(`${device}/checks?Limit=100&Offset=100`);
    const last = z.array(check).parse(first.json).at(-1)?.check_id;
    expect(first.headers.get('link')).toBe(`</v1.1${device}/checks?Limit=100&Before=${last}>; rel="next"`);
    expect(second.headers.get('link')).toBeNull();
    const all = [...z.array(check).parse(first.json), ...z.array(check).parse(second.json)];
    expect(all).toHaveLength(121);
    const times = all.map(({ Timestamp }) => Timestamp);
    expect(times).toEqual([...times].sort((a, b) => b.localeCompare(a)));
    expect(z.array(check).parse((await get(`${device}/checks`)).json)).toHaveLength(25);
  });

  it('is asked for now, or it says who is missing', async () => {
    expect((await rest.send('POST', `${device}/check`, { key })).json).toEqual({
      code: 1005,
      reason: 'no_answer',
      message: 'Location local has no agent.',
    });
    nowResult = { kind: 'done', checkId: sample.ids['check_id'] ?? '' };
    expect((await rest.send('POST', `${device}/check`, { key })).json).toMatchObject({
      check_id: sample.ids['check_id'],
    });
  });

  it('makes events, newest first, before a Timestamp', async () => {
    const event = {
      account_no: place.accountNo,
      device_no: sample.deviceNo,
      status: 'Down',
      message: 'm',
      recorded_us: 1,
    };
    const at = rest.clock.nowUs() - minuteUs;
    for (const type of ['Error', 'Down'])
      await rest.db.kysely
        .insertInto('events')
        .values({ ...event, event_id: newId(), type, at_us: at })
        .execute();
    const types = async (query: string) =>
      z
        .array(z.object({ Type: z.string() }))
        .parse((await get(`${device}/events${query}`)).json)
        .map(({ Type }) => Type);
    expect(await types('')).toEqual(['Created', 'Down', 'Error']);
    expect(await types('?Limit=1&Offset=1')).toEqual(['Down']);
    const time = rest.clock.nowUs() / 1000 - 60_000;
    expect(await types(`?Timestamp=${new Date(time + 1).toISOString()}`)).toEqual(['Down', 'Error']);
    expect(await types(`?Timestamp=${new Date(time).toISOString()}`)).toEqual([]);
    expect(z.array(z.unknown()).parse((await get('/events')).json)).toHaveLength(3);
    expect(problem.parse((await get(`${device}/events?Timestamp=yesterday`)).json).code).toBe(1004);
  });

  it("sums up to the period asked for, read in the account's zone", async () => {
    const seconds = async (query: string) =>
      z
        .object({ Uptime: z.object({ UnknownSeconds: z.number() }) })
        .parse((await get(`${device}/uptime${query}`)).json).Uptime.UnknownSeconds;
    expect(await seconds('')).toBe(0);
    expect(await seconds('?Timestamp1=2026-09-21T19:58:19')).toBe(1);
    expect(await seconds('?Timestamp1=2026-09-21T19:57:20+05:45')).toBe(60);
    expect(await seconds('?Timestamp1=2026-09-21T14:12:20.9Z&Timestamp2=2099-01-01T00:00:00Z')).toBe(60);
    for (const bad of [
      'Timestamp1=2026-09-21T14:13:20Z&Timestamp2=2026-09-21T14:13:19Z',
      'Timestamp1=2099-01-01T00:00:00Z',
      'Timestamp2=x',
    ])
      expect(problem.parse((await get(`${device}/uptime?${bad}`)).json).code).toBe(1004);
  });

  it('has statistics that are the same from raw checks and from roll-ups', async () => {
    const read = async (query: string) =>
      z
        .array(z.record(z.string(), z.unknown()))
        .parse((await get(`${device}/statistics?Timestamp1=2026-09-21T10:00:00Z${query}`)).json);
    const raw = { all: await read(''), hours: await read('&Bucket=Hour'), days: await read('&Bucket=Day') };
    expect(raw.all).toMatchObject([
      {
        Location: 'local',
        Count: 121,
        Errors: 0,
        Availability: 100,
        Loss: 25,
        MinTime: 4.2,
        MeanTime: 4.2,
        P50: 4.2,
        P99: 4.2,
        MaxTime: 4.2,
      },
    ]);
    expect(raw.hours.map((row) => row['Count'])).toEqual([47, 60, 14]);
    expect(raw.days.map((row) => row['Timestamp'])).toEqual(['2026-09-21T00:00:00+05:45']);
    await rollUps.createRollUp({ db: rest.db, clock: rest.clock, log: createLog('history', 'silent') }).run();
    expect(await rest.db.kysely.selectFrom('rollup_hourly').select('checks').execute()).not.toEqual([]);
    const rolled = {
      all: await read(''),
      hours: await read('&Bucket=Hour'),
      days: await read('&Bucket=Day'),
    };
    expect(rolled).toEqual(raw);
    // Two thousand years before the first check cost nothing and change nothing but the begin.
    const long = z
      .array(z.record(z.string(), z.unknown()))
      .parse((await get(`${device}/statistics?Timestamp1=0001-01-01T00:00:00Z`)).json);
    expect(long).toEqual(raw.all.map((row) => ({ ...row, Timestamp: '0001-01-01T05:41:00+05:41' })));
    expect(
      (await get(`${device}/statistics?Timestamp1=1990-01-01T00:00:00Z&Bucket=Hour`)).json,
    ).toMatchObject({ code: 1004 });
    expect((await get(`${device}/statistics?Bucket=Month`)).json).toMatchObject({ code: 1004 });
    expect((await get(`${device}/statistics?With=Phases,Hops`)).json).toMatchObject({ code: 1004 });
  });
});
