import { dayUs, hourUs, minuteUs } from '@vantage/domain';
import { createLog } from '@vantage/kernel';
import { createPartitions } from '@vantage/storage';
import { createFixtures } from '@vantage/testing/fixtures';
import { expect, test } from 'vitest';
import { runRequests } from '../../agents/run-requests/index.ts';
import { createIngest } from '../../results/ingest/index.ts';
import { batchOf, result } from '../../results/ingest/testing/ingest-fixture.ts';
import { rollUps } from '../../results/roll-up/index.ts';
import { createRestFixture } from '../../testing/rest-fixture.ts';

const log = createLog('values', 'silent');

/** A device whose checks return values, in an account at UTC. */
async function createDevice() {
  const rest = await createRestFixture();
  const account = await rest.account('one');
  const { key } = await rest.key(account.accountNo, 'UW');
  const { db, clock } = rest;
  const { accountNo, locationNo } = account;
  const rows = createFixtures(db.kysely);
  const fromUs = clock.nowUs() - 30 * dayUs;
  const deviceNo = await rows.device(accountNo, [locationNo], { created_us: fromUs });
  const { agentNo } = await rows.agent({ accountNo, locationNo });
  await rows.hold({ deviceNo, agentNo, locationNo, fromUs });
  const { device_id: deviceId } = await db.kysely
    .selectFrom('devices')
    .select('device_id')
    .where('device_no', '=', deviceNo)
    .executeTakeFirstOrThrow();
  const deps = { db, clock, log, retentionDays: 40 };
  const partitions = createPartitions(deps);
  await partitions.ensure();
  const ingest = createIngest({ ...deps, partitions, rollUps, runRequests, fold: async () => {} });
  const path = `/devices/${deviceId}`;
  return {
    rest,
    key,
    path,
    rollUp: rollUps.createRollUp(deps),
    ago: (us: number) => new Date((clock.nowUs() - us) / 1000).toISOString(),
    async take(agoUs: number, values: Readonly<Record<string, number>>, code = 1) {
      const list = Object.entries(values).map(([label, value]) => ({
        label,
        value,
        unit: label === 'in' ? 'bit/s' : '',
      }));
      const record = result(deviceNo, clock.nowUs() - agoUs, { resultCode: code, values: list });
      const taken = await ingest.accept({ agentNo, accountNo: account.accountNo }, batchOf(record));
      expect(taken).toMatchObject({ inserted: 1 });
    },
    get: (query: string) => rest.send('GET', `${path}/values${query}`, { key }),
    [Symbol.asyncDispose]: () => rest[Symbol.asyncDispose](),
  };
}

test('each label has its buckets and its newest value; a check without values is no bucket', async () => {
  await using device = await createDevice();
  await device.take(3 * hourUs, { in: 4, out: 1 });
  await device.take(2 * minuteUs, {});
  await device.take(minuteUs, { in: 8 }, 7);
  const { json } = await device.get(`?Timestamp1=${device.ago(4 * hourUs)}&Bucket=Raw`);
  expect(json).toMatchObject([
    {
      Label: 'in',
      Unit: 'bit/s',
      Last: { Value: 8 },
      Buckets: [
        { Count: 1, Min: 4, Mean: 4, Max: 4, P95: 4 },
        { Count: 1, Min: 8 },
      ],
    },
    { Label: 'out', Unit: '', Last: { Value: 1 }, Buckets: [{ Count: 1, Max: 1 }] },
  ]);
  expect((await device.get(`?Timestamp1=${device.ago(hourUs)}&Bucket=Raw`)).json).toMatchObject([
    { Label: 'in', Buckets: [{ Count: 1 }] },
    { Label: 'out', Last: { Value: 1 }, Buckets: [] },
  ]);
});

test('Label chooses rows in its order; a label without values in the period has no bucket, an unknown one no row', async () => {
  await using device = await createDevice();
  await device.take(3 * dayUs, { in: 4, 'a, b': 2, out: 1 });
  const period = `?Timestamp1=${device.ago(hourUs)}`;
  expect((await device.get(period)).json).toEqual([]);
  const rows = (await device.get(`${period}&Label=out,in,unknown`)).json;
  expect(rows).toMatchObject([
    { Label: 'out', Buckets: [] },
    { Label: 'in', Buckets: [] },
  ]);
  const whole = await device.get(`?Label=${encodeURIComponent('a, b')}`);
  expect(whole.json).toMatchObject([{ Label: 'a, b', Buckets: [{ Mean: 2 }] }]);
  const escaped = await device.get(`?Label=${encodeURIComponent('in,a\\, b')}`);
  expect(escaped.json).toMatchObject([{ Label: 'in' }, { Label: 'a, b' }]);
});

test.each([
  [1, '5Min'],
  [24, '5Min'],
  [8 * 24, '30Min'],
  [16 * 24, 'Hour'],
])('Points=400 over %i hours has buckets of %s', async (hours, name) => {
  await using device = await createDevice();
  for (const minute of [3, 17, 40]) await device.take(minute * minuteUs, { in: minute });
  const period = `?Timestamp1=${device.ago(hours * hourUs)}`;
  const chosen = await device.get(`${period}&Points=400`);
  expect(chosen.json).toEqual((await device.get(`${period}&Bucket=${name}`)).json);
  expect(chosen.json).toMatchObject([{ Label: 'in' }]);
});

test('Points=1 is one bucket, and few points are several days each', async () => {
  await using device = await createDevice();
  for (let day = 0; day < 28; day += 1) await device.take(day * dayUs + hourUs, { in: day });
  await device.rollUp.run();
  const one = await device.get('?Points=1');
  expect(one.json).toMatchObject([{ Buckets: [{ Count: 28, Min: 0, Max: 27 }] }]);
  const few = (await device.get('?Points=6')).json as readonly { Buckets: readonly { Count: number }[] }[];
  const counts = few[0]?.Buckets.map(({ Count }) => Count) ?? [];
  expect(counts.length).toBeLessThanOrEqual(6);
  expect(counts.reduce((sum, one) => sum + one, 0)).toBe(28);
});

test('days stay when the hours are older than the retention', async () => {
  await using device = await createDevice();
  for (const day of [20, 10, 1]) await device.take(day * dayUs, { in: day });
  await device.rollUp.run();
  const { kysely } = device.rest.db;
  const nowUs = device.rest.clock.nowUs();
  for (let run = 0; run < 30; run += 1) {
    await createPartitions({ db: device.rest.db, clock: device.rest.clock, log, retentionDays: 15 }).drop(
      await rollUps.retireDays(kysely, { nowUs, retentionDays: 15 }),
    );
  }
  await rollUps.dropValueHours(kysely, nowUs - 15 * dayUs);
  expect((await device.get('?Bucket=Hour')).json).toMatchObject([{ Buckets: [{ Mean: 10 }, { Mean: 1 }] }]);
  expect((await device.get('?Bucket=Day')).json).toMatchObject([
    { Buckets: [{ Mean: 20 }, { Mean: 10 }, { Mean: 1 }] },
  ]);
});

test('a deleted device leaves no values', async () => {
  await using device = await createDevice();
  await device.take(3 * hourUs, { in: 4 });
  await device.rollUp.run();
  expect((await device.rest.send('DELETE', device.path, { key: device.key })).status).toBe(200);
  const { kysely } = device.rest.db;
  for (const table of ['value_series', 'value_hourly', 'value_daily'] as const)
    expect(await kysely.selectFrom(table).selectAll().execute()).toEqual([]);
});

test('a check shows its values, alone, in the list and in its extended data', async () => {
  await using device = await createDevice();
  await device.take(minuteUs, { in: 8.5, out: -1 });
  const values = [
    { Label: 'in', Value: 8.5, Unit: 'bit/s' },
    { Label: 'out', Value: -1, Unit: '' },
  ];
  const { rest, key, path } = device;
  const list = (await rest.send('GET', `${path}/checks`, { key })).json as readonly {
    check_id: string;
    Values?: unknown;
  }[];
  expect(list[0]?.Values).toEqual(values);
  expect(list.slice(1).filter((check) => 'Values' in check)).toEqual([]);
  const check = `/checks/${list[0]?.check_id}`;
  expect((await rest.send('GET', check, { key })).json).toMatchObject({ Values: values });
  expect((await rest.send('GET', `${check}/extended`, { key })).json).toMatchObject({ Values: values });
});

test('wrong requests are refused with the field', async () => {
  await using device = await createDevice();
  await device.take(minuteUs, { in: 8 });
  const refused = async (query: string, field: string) =>
    expect((await device.get(query)).json).toMatchObject({ code: 1004, errors: [{ field }] });
  await refused('?Bucket=Week', 'Bucket');
  await refused('?Points=401', 'Points');
  await refused('?Points=10&Bucket=Day', 'Points');
  await refused('?Label=', 'Label');
  expect((await device.get('?Location=nowhere')).json).toMatchObject({ code: 1003 });
  const other = await device.rest.account('other');
  const { key } = await device.rest.key(other.accountNo, 'UW');
  expect((await device.rest.send('GET', `${device.path}/values`, { key })).json).toMatchObject({
    code: 1003,
  });
});
