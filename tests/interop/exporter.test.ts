import { createLog, newId } from '@vantage/kernel';
import { createPartitions } from '@vantage/storage';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type OneAccount, startOneAccount } from '../../apps/controller/src/testing/one-account.ts';
import { addChecks } from '../../apps/controller/src/testing/sample-account.ts';

/** The header in which this client sends its key, as an operator allows it with VANTAGE_API_KEY_HEADERS. */
const keyHeader = 'Old-API-Key';
/** Rows that the exporter uses of a page. It asks for one more, to know whether there is another page. */
const pageSize = 50;
const checksPerDevice = 30;
/** Devices whose checks it reads at the same time. */
const atOnce = 30;
const phases = ['DNSTime', 'ConnectTime', 'SSLTime', 'TTFB', 'TTLB'] as const;

const deviceRows = z.array(z.looseObject({ device_id: z.string(), ShortName: z.string() }));
const ms = z.number();
const checkRows = z.array(
  z.looseObject({
    Location: z.string(),
    Timestamp: z.string(),
    RequestTime: ms,
    DataSize: z.number(),
    DNSTime: ms,
    ConnectTime: ms,
    SSLTime: ms,
    TTFB: ms,
    TTLB: ms,
  }),
);

let one: OneAccount;
let secondLocationNo: number;
const shortNames = Array.from({ length: 2 * pageSize + 3 }, (_, i) => `web-${i}`);

beforeAll(async () => {
  one = await startOneAccount({
    settings: { apiKeyHeaders: [keyHeader] },
    timezone: 'America/Los_Angeles',
  });
  const { rest, accountNo, locationNo } = one;
  const { kysely } = rest.db;
  await createPartitions({
    db: rest.db,
    clock: rest.clock,
    retentionDays: 2,
    log: createLog('test', 'silent'),
  }).ensure();
  const second = await kysely
    .insertInto('locations')
    .values({ location_id: newId(), account_no: accountNo, name: 'Köln "2"' })
    .returning('location_no')
    .executeTakeFirstOrThrow();
  secondLocationNo = second.location_no;
  for (const ShortName of shortNames)
    await one.create('/devices', { Method: 'HTTP', URL: 'https://example.org/', ShortName });
  const devices = await kysely.selectFrom('devices').select('device_no').orderBy('device_no').execute();
  for (const { device_no: deviceNo } of devices) {
    const starts = Array.from({ length: 20 }, (_, i) => rest.clock.nowUs() - (i + 1) * 60_000_000);
    await addChecks(rest, { deviceNo, agentNo: 1, locationNo }, starts);
    await addChecks(
      rest,
      { deviceNo, agentNo: 2, locationNo: secondLocationNo },
      starts.map((startUs) => startUs + 1),
    );
  }
});
afterAll(() => one[Symbol.asyncDispose]());

/**
 * Reads a list as this client does: overlapping pages by Limit and Offset, until a page is not full or `most` rows are
 * there.
 */
async function readPages<T>(
  path: string,
  most: number,
  rows: z.ZodType<readonly T[]>,
): Promise<readonly T[]> {
  const read: T[] = [];
  const size = Math.min(pageSize, most);
  for (let page = 0; ; page += 1) {
    const answer = await one.rest.send('GET', `${path}?Limit=${size + 1}&Offset=${page * size}`, {
      headers: { [keyHeader]: one.key },
    });
    expect(answer.status).toBe(200);
    const found = rows.parse(answer.json);
    read.push(...found.slice(0, size));
    if (found.length <= size || read.length >= most) return read;
  }
}

/** The gauges of the latest check of each Location: seconds by phase and in all, and bytes. */
async function exportDevice(device: { readonly device_id: string; readonly ShortName: string }) {
  const checks = await readPages(`/devices/${device.device_id}/checks`, checksPerDevice, checkRows);
  const recent = checks.filter(
    ({ Timestamp }) => one.rest.clock.nowUs() / 1000 - Date.parse(Timestamp) < 3_600_000,
  );
  const byLocation = Map.groupBy(
    recent.toSorted((a, b) => b.Timestamp.localeCompare(a.Timestamp)),
    ({ Location }) => Location,
  );
  return [...byLocation].map(([location, [latest]]) => ({
    labels: `${device.ShortName} ${location}`,
    seconds: phases.map((phase) => Number(latest?.[phase]) / 1000),
    totalSeconds: Number(latest?.RequestTime) / 1000,
    bytes: latest?.DataSize,
    atMs: Date.parse(latest?.Timestamp ?? ''),
  }));
}

test('an exporter that pages with Limit and Offset exports each device once, with the latest check of each Location', async () => {
  const devices = await readPages('/devices', 1_000, deviceRows);
  expect(devices.map(({ ShortName }) => ShortName)).toEqual(shortNames);
  const gauges: Awaited<ReturnType<typeof exportDevice>> = [];
  for (let from = 0; from < devices.length; from += atOnce)
    gauges.push(...(await Promise.all(devices.slice(from, from + atOnce).map(exportDevice))).flat());
  expect(gauges.map(({ labels }) => labels).sort()).toEqual(
    shortNames.flatMap((name) => [`${name} Köln "2"`, `${name} local`]).sort(),
  );
  const latestMs = Math.floor((one.rest.clock.nowUs() - 60_000_000) / 1_000_000) * 1000;
  for (const { seconds, totalSeconds, bytes, atMs } of gauges) {
    expect(seconds.reduce((sum, each) => sum + each, 0)).toBeCloseTo(totalSeconds, 6);
    expect(totalSeconds).toBeGreaterThan(0);
    expect([bytes, atMs]).toEqual([1000, latestMs]);
  }
});

test('an exporter that wants fewer devices than there are gets the oldest of them', async () => {
  const devices = await readPages('/devices', 30, deviceRows);
  expect(devices.map(({ ShortName }) => ShortName)).toEqual(shortNames.slice(0, 30));
});
