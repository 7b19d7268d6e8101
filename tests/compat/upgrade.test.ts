// A data folder of an earlier version is restored and started with this version. See fixtures/README.md.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { withClient } from '@vantage/testing/postgres-url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { whyNoPing } from '../../libs/icmp/src/index.ts';
import { type Api, createApi } from '../harness/api.ts';
import {
  controllerPorts,
  openOld,
  present,
  type RunningController,
  startAgent,
  startController,
} from './programs.ts';
import { type Restored, restore } from './restore.ts';
import { checksOfAgent, lostRows } from './rows.ts';
import { recordsOf } from './shift.ts';
import { startTargets } from './targets.ts';
import { readTruth, type Truth } from './truth.ts';

const soon = { timeout: 60_000, interval: 300 };
/** The tests send thousands of requests, on a machine that may be busy. */
const long = { timeout: 180_000 };
const shown = z.object({
  device_id: z.string(),
  Method: z.string(),
  Frequency: z.int(),
  Status: z.string(),
  StatusSince: z.string(),
});

const spent = z.object({
  Uptime: z.object({
    UpSeconds: z.int(),
    UnknownSeconds: z.int(),
    DownSeconds: z.int(),
    MaintenanceSeconds: z.int(),
    Outages: z.int(),
  }),
});

let ended: AsyncDisposableStack;
let old: Restored;
let controller: RunningController;
let api: Api;
beforeAll(async () => {
  ended = new AsyncDisposableStack();
  using programs = openOld();
  old = ended.use(await restore(programs.migrations));
  ended.use(await startTargets({ late: true }));
  const { databaseUrl, dataDir, key } = old;
  const ports = await controllerPorts();
  controller = ended.use(await startController({ program: present.controller, databaseUrl, dataDir, ports }));
  api = createApi({ baseUrl: controller.baseUrl, caFile: controller.caFile, key });
  ended.defer(() => api.close());
});
afterAll(() => ended.disposeAsync());

/** The records in the outbox of the agent's folder. */
function outbox() {
  const folder = path.join(old.dataDir, 'agent/outbox');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.seg'))
    .flatMap((name) => recordsOf(readFileSync(path.join(folder, name))));
}

/** The results in the outbox that the controller never got, as `device start`. */
function backlog(): string[] {
  const known = new Set(recordedChecks());
  return outbox()
    .flatMap((record) =>
      record.case === 'result' ? [`${record.value.deviceNo} ${record.value.startUs}`] : [],
    )
    .filter((key) => !known.has(key));
}

const key = z.object({ device_no: z.int(), start_us: z.int() });
const keyOf = (row: z.infer<typeof key>) => `${row.device_no} ${row.start_us}`;
const recordedChecks = () => (old.rows['check_rows'] ?? []).map((row) => keyOf(key.parse(row)));

/** The part of the answers that must stay the same while the agent continues its checks. */
const lasting = ({ devices, events, secrets, tags }: Truth) => ({
  devices: devices.map(({ full, events: own, uptime }) => {
    const { device_id, Status, StatusSince } = shown.parse(full);
    const { UpSeconds, DownSeconds, UnknownSeconds, ...rest } = spent.parse(uptime).Uptime;
    // The coverage in the backlog includes the last seconds before the stop, which were unknown until then.
    const other = UpSeconds + DownSeconds + UnknownSeconds;
    return { device_id, Status, StatusSince, events: own, ...rest, other };
  }),
  events,
  secrets,
  tags,
});

test('the recording contains everything that an upgrade could lose', () => {
  const all = old.truth.devices.map(({ full }) => shown.parse(full));
  expect(all).toHaveLength(200);
  expect(new Set(all.map((device) => device.Method)).size).toBe(13);
  expect(new Set(all.map((device) => device.Status))).toEqual(new Set(['Up', 'Down', 'Maint']));
  expect(old.rows['secrets']).toHaveLength(2);
  expect(backlog().length).toBeGreaterThan(15);
});

test('every row and every answer of the earlier version is there after the first start', long, async () => {
  const { lost, looked } = await withClient(old.databaseUrl, (client) => lostRows(client, old.rows));
  expect(lost).toEqual([]);
  expect(looked).toBeGreaterThan(2_000);
  const { agents, locations, ...now } = await readTruth(api, old.stoppedUs);
  const { agents: agentsThen, locations: locationsThen, ...then } = old.truth;
  expect(now).toMatchObject(then);
  const ids = (all: readonly Readonly<Record<string, unknown>>[], name: string) =>
    all.map((one) => one[name]);
  expect(ids(agents, 'agent_id')).toEqual(ids(agentsThen, 'agent_id'));
  expect(ids(locations, 'location_id')).toEqual(ids(locationsThen, 'location_id'));
});

test(
  'an outage that was open before the upgrade keeps its open alert, which begins with it',
  long,
  async () => {
    const downs = old.truth.devices
      .map(({ full }) => shown.parse(full))
      .filter(({ Status }) => Status === 'Down');
    expect(downs).not.toEqual([]);
    const alert = z.object({ device_id: z.string(), Kind: z.string(), State: z.string(), Since: z.string() });
    await vi.waitFor(async () => {
      const alerts = z.array(alert).parse(await api.ok('GET', '/alerts?State=Open&Limit=100'));
      const expected = downs.map(({ device_id, StatusSince: Since }) => ({
        device_id,
        Since,
        Kind: 'device.down',
        State: 'Open',
      }));
      expect(new Set(alerts)).toEqual(new Set(expected));
    }, soon);
  },
);

test(
  'the agent continues with its folder: its backlog arrives, no check runs twice, no status changes',
  long,
  async ({ skip }) => {
    const noPing = whyNoPing();
    skip(noPing !== undefined, noPing);
    const waiting = backlog();
    const spans = outbox().flatMap((record) =>
      record.case === 'coverage' ? [Number(record.value.toUs)] : [],
    );
    const coveredUs = Math.max(...spans);
    expect(coveredUs).toBeGreaterThan(old.stoppedUs);
    const startedUs = Date.now() * 1000;
    ended.use(
      startAgent({
        program: present.agent,
        endpoint: controller.endpoint,
        caFile: controller.caFile,
        token: old.token,
        dataDir: path.join(old.dataDir, 'agent'),
      }),
    );
    const read = () => withClient(old.databaseUrl, (client) => checksOfAgent(client, 1));
    await vi.waitFor(async () => {
      expect((await read()).map(keyOf)).toEqual(expect.arrayContaining(waiting));
    }, soon);
    await requestOneOfEach();

    const all = await read();
    const before = all.filter((row) => row.start_us < startedUs);
    expect(before.map(keyOf).sort()).toEqual([...recordedChecks(), ...waiting].sort());
    // Since then each device had at most its due checks and one requested check.
    const minutes = (Date.now() * 1000 - startedUs) / 60e6;
    const frequency = new Map(
      (old.rows['devices'] ?? []).map((row) => [row['device_no'], z.int().parse(row['frequency_min'])]),
    );
    const since = Map.groupBy(
      all.filter((row) => row.start_us >= startedUs && row.attempt === 0 && row.run_request_id === null),
      (row) => row.device_no,
    );
    for (const [device, rows] of since)
      expect(rows.length, `device ${device}`).toBeLessThanOrEqual(
        1 + minutes / (frequency.get(device) ?? 60),
      );
    // One in sixty of the hourly devices is due in a minute.
    const hourly = [...since.keys()].filter((device) => frequency.get(device) === 60);
    expect(hourly.length).toBeLessThan(10 + 10 * minutes);
    // Answers may have more fields than before.
    const now = await readTruth(api, old.stoppedUs, { withChecks: false });
    expect(lasting(now)).toMatchObject(lasting(old.truth));
    await unknownWhileNothingRan(startedUs, coveredUs);
  },
);

/** The time from the agent's last coverage to its start is Unknown, and at most a minute more. */
async function unknownWhileNothingRan(startedUs: number, coveredUs: number): Promise<void> {
  const at = (us: number) => new Date(us / 1000).toISOString();
  const up = old.truth.devices.map(({ full }) => shown.parse(full)).find((device) => device.Status === 'Up');
  const span = `Timestamp1=${at(old.stoppedUs)}&Timestamp2=${at(startedUs)}`;
  const { Uptime } = spent.parse(await api.ok('GET', `/devices/${up?.device_id}/uptime?${span}`));
  const goneSeconds = (startedUs - coveredUs) / 1e6;
  expect(Uptime.UnknownSeconds).toBeGreaterThan(goneSeconds - 2);
  expect(Uptime.UnknownSeconds).toBeLessThan(goneSeconds + 60);
  expect(Uptime).toMatchObject({ DownSeconds: 0, Outages: 0 });
}

/**
 * Requests a check of one device of each Method, with a secret where the Method can have one. Each check must reach its
 * target.
 */
async function requestOneOfEach(): Promise<void> {
  const up = old.truth.devices
    .map(({ full }) => shown.parse(full))
    .filter((device) => device.Status === 'Up');
  const first = new Map(up.map((device) => [device.Method, device.device_id]));
  const result = z.object({ ResultCode: z.int(), CheckResult: z.string() });
  for (const [method, id] of first) {
    const answer = result.parse(await api.ok('POST', `/devices/${id}/check`));
    expect(answer, `${method}: ${answer.CheckResult}`).toMatchObject({ ResultCode: 1 });
  }
  expect(first.size).toBe(13);
}
