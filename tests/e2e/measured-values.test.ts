// Values of a script, from a real agent to the API, to Prometheus and to a trial.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createApi } from '../harness/api.ts';
import type { System } from '../harness/system.ts';
import { startSystemOnDatabase } from '../harness/system-on-database.ts';

let system: System;
beforeAll(async () => {
  system = await startSystemOnDatabase({ env: { NODE_ENV: 'test', VANTAGE_TEST_TIME_SCALE: '30' } });
}, 300_000);
afterAll(() => system?.[Symbol.asyncDispose]());

const created = z.object({ device_id: z.string() });
const value = z.object({ Label: z.string(), Value: z.number(), Unit: z.string() });
const check = z.object({ check_id: z.string(), ResultCode: z.number(), Values: z.array(value).optional() });
const rows = z.array(
  z.object({
    Label: z.string(),
    Unit: z.string(),
    Last: z.object({ Value: z.number() }).nullable(),
    Buckets: z.array(z.object({ Count: z.number(), Min: z.number(), Mean: z.number(), Max: z.number() })),
  }),
);

test('what a script measures is in its checks, in the values of its device and in /metrics, also when it fails', async () => {
  const script = "value('queue', 12.5, 'jobs'); value('free, root', -3); expect(false, 'the queue is long');";
  const { api } = system;
  const body = { Method: 'Script', URL: script, ShortName: 'measured', Frequency: 1, Timeout: 60 };
  const { device_id: id } = created.parse(await api.ok('POST', '/devices', body));
  const checks = async () => z.array(check).parse(await api.ok('GET', `/devices/${id}/checks`));
  await expect.poll(async () => (await checks()).length, { timeout: 200_000 }).toBeGreaterThanOrEqual(2);
  const [newest] = await checks();
  const values = [
    { Label: 'queue', Value: 12.5, Unit: 'jobs' },
    { Label: 'free, root', Value: -3, Unit: '' },
  ];
  expect(newest).toMatchObject({ ResultCode: 4, Values: values });
  expect(await api.ok('GET', `/checks/${newest?.check_id}/extended`)).toMatchObject({ Values: values });
  const raw = rows.parse(await api.ok('GET', `/devices/${id}/values?Bucket=Raw`));
  expect(raw.map(({ Label, Unit, Last }) => [Label, Unit, Last?.Value])).toEqual([
    ['queue', 'jobs', 12.5],
    ['free, root', '', -3],
  ]);
  const [queue] = rows.parse(await api.ok('GET', `/devices/${id}/values?Points=1&Label=queue`));
  expect(queue?.Buckets).toMatchObject([{ Min: 12.5, Mean: 12.5, Max: 12.5 }]);
  expect(queue?.Buckets[0]?.Count).toBeGreaterThanOrEqual(2);
  const { base_url: baseUrl, ca_file: caFile, api_key_ur: key } = system.quickstart();
  const outer = createApi({ baseUrl: new URL(baseUrl).origin, caFile, key });
  const { text } = await outer.call('GET', '/metrics?Devices=Y');
  outer.close();
  expect(text).toContain(
    `vantage_device_value{device_id="${id}",short_name="measured",label="queue",unit="jobs"} 12.5\n`,
  );
}, 300_000);

test('a trial shows the values, and stores none', async () => {
  const tried = { Method: 'Script', URL: "value('tried', 7, '%');", Timeout: 30 };
  expect(await system.api.ok('POST', '/checks/trial', tried)).toMatchObject({
    check_id: null,
    Values: [{ Label: 'tried', Value: 7, Unit: '%' }],
  });
}, 120_000);
