import { checkId, dayUs, hourUs, secondUs } from '@vantage/domain';
import { createLog } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { createPartitions, startOfDay } from '@vantage/storage';
import { packedChecks } from '@vantage/storage/packed';
import { sampleDay } from '@vantage/storage/packed/testing/sample-day';
import { createFixtures } from '@vantage/testing/fixtures';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { runRequests } from '../src/agents/run-requests/index.ts';
import { locationVisibility } from '../src/catalog/locations/visibility-store.ts';
import { recordEvents } from '../src/results/events/record-events.ts';
import type { CheckRow } from '../src/results/ingest/check-row.ts';
import { createDayPacker, createIngest } from '../src/results/ingest/index.ts';
import { insertChecks } from '../src/results/ingest/insert-checks.ts';
import { batchOf, result } from '../src/results/ingest/testing/ingest-fixture.ts';
import { dropDaysOfDeleted, dropPackedDays } from '../src/results/packing/packed-days-store.ts';
import { rollUps } from '../src/results/roll-up/index.ts';
import { createHealth, createRestHealth } from '../src/results/status/index.ts';
import { checksFrom, newestChecks } from '../src/results/status/read-checks.ts';
import { type OneAccount, startOneAccount } from '../src/testing/one-account.ts';

const log = createLog('packed days test', 'silent');
const days = Number(process.env['VANTAGE_TEST_PACKED_DAYS'] ?? 12);
const checksADay = Number(process.env['VANTAGE_TEST_PACKED_CHECKS'] ?? 96);
const retentionDays = days + 5;
const methods = ['TCP', 'HTTP', 'PING'] as const;
const idRow = z.array(z.object({ check_id: z.string() }));
let one: OneAccount;
const devices: { readonly deviceNo: number; readonly deviceId: string }[] = [];
let agentNo = 0;

beforeAll(async () => {
  one = await startOneAccount({
    health: (_, clock) => createRestHealth({ recordEvents, clock }),
  });
  const { accountNo, locationNo, rest } = one;
  const { db, clock } = rest;
  await createPartitions({ db, clock, log, retentionDays }).ensure();
  const make = createFixtures(db.kysely);
  const branchNo = await make.location(accountNo, { name: 'branch' });
  ({ agentNo } = await make.agent({ accountNo, locationNo }));
  const { agentNo: branchAgentNo } = await make.agent({ accountNo, locationNo: branchNo });
  const firstUs = startOfDay(clock.nowUs() - days * dayUs);
  for (const method of methods) {
    const deviceId = await one.create('/devices', { Method: 'TCP', URL: 'a.example:1', ShortName: method });
    const { device_no: deviceNo } = await db.kysely
      .updateTable('devices')
      .set({ created_us: firstUs, changed_us: firstUs })
      .where('device_id', '=', deviceId)
      .returning('device_no')
      .executeTakeFirstOrThrow();
    await make.hold({ deviceNo, agentNo, locationNo, fromUs: firstUs });
    devices.push({ deviceNo, deviceId });
    for (let day = firstUs; day < startOfDay(clock.nowUs()); day += dayUs) {
      const own = sampleDay(method, { deviceNo, dayUs: day, checks: checksADay, agentNo, locationNo });
      const branch = {
        deviceNo,
        dayUs: day + hourUs,
        checks: 20,
        agentNo: branchAgentNo,
        locationNo: branchNo,
      };
      await insert(own.map(withErrors));
      await insert(sampleDay(method, branch).filter(({ start_us }) => start_us < day + dayUs));
    }
  }
  await rollUp();
}, 300_000);

afterAll(() => one[Symbol.asyncDispose]());

/** One check in 37 is bad and has a traceroute, one in 41 is a retry, one in 43 was requested. */
function withErrors(row: CheckRow, i: number): CheckRow {
  const Traceroute = { Reached: true, Hops: [{ TTL: 1, Address: '192.0.2.1', RTTMs: 1, Text: 'x' }] };
  if (i % 37 === 5)
    return { ...row, code: 2, check_result: 'no answer', extended: JSON.stringify({ Traceroute }) };
  if (i % 41 === 7) return { ...row, attempt: 1, retry_id: `retry ${row.start_us}` };
  return i % 43 === 9 ? { ...row, run_request_id: `request ${row.start_us}` } : row;
}

/** Stores checks of one agent. */
async function insert(rows: readonly CheckRow[]): Promise<void> {
  await one.rest.db.kysely.transaction().execute((trx) => insertChecks(trx, rows));
}

/** Rolls up the days that are packed. The younger ones stay as they are: their roll-ups cost time and show nothing. */
async function rollUp(): Promise<void> {
  const { db } = one.rest;
  const clock = createFakeClock(one.rest.clock.nowUs() - 8 * dayUs);
  await rollUps.createRollUp({ db, clock, log }).run();
}

/** Packs all that may be packed, as the housekeeping does. */
async function pack(): Promise<void> {
  const { db, clock } = one.rest;
  const packer = createDayPacker({
    db,
    clock,
    log,
    afterDays: 8,
    retentionDays,
    isRolledUp: rollUps.isRolledUp,
  });
  while (!(await packer.run()));
}

function ingest() {
  const { db, clock } = one.rest;
  const health = createHealth({ clock, log, recordEvents, runRequests, locations: locationVisibility });
  const partitions = createPartitions({ db, clock, log, retentionDays });
  return createIngest({
    db,
    clock,
    log,
    rollUps,
    runRequests,
    retentionDays,
    partitions,
    fold: (trx, rows, nowUs) => health.fold(trx, rows, nowUs),
  });
}

async function read(path: string): Promise<{ readonly json: unknown; readonly text: string }> {
  const { status, json, text } = await one.send('GET', path);
  expect(status, `${path}: ${text}`).toBe(200);
  return { json, text };
}

/** The answers to a request that is repeated until the signal aborts, and once more. */
async function readUntil(signal: AbortSignal, path: string): Promise<readonly string[]> {
  const texts: string[] = [];
  do texts.push((await read(path)).text);
  while (!signal.aborted);
  texts.push((await read(path)).text);
  return texts;
}

function iso(us: number): string {
  return new Date(us / 1000).toISOString();
}

/** Everything that the API and the fold read of a device. */
async function readAll({ deviceNo, deviceId }: (typeof devices)[number]): Promise<unknown[]> {
  const { db, clock } = one.rest;
  const path = `/devices/${deviceId}`;
  const lists: unknown[] = [];
  let last: string | undefined;
  do {
    const { json } = await read(`${path}/checks?Limit=700${last === undefined ? '' : `&Before=${last}`}`);
    lists.push(json);
    last = idRow.parse(json).at(-1)?.check_id;
  } while (last !== undefined);
  const agoUs = (daysAgo: number, hours: number) =>
    startOfDay(clock.nowUs()) - daysAgo * dayUs + hours * hourUs;
  const spans = [
    [agoUs(11, 3.3), agoUs(9, 1.7)],
    [agoUs(11, 0), agoUs(7, 12)],
    [agoUs(10, 5), agoUs(10, 5.1)],
  ].map(([fromUs = 0, toUs = 0]) => `Timestamp1=${iso(fromUs)}&Timestamp2=${iso(toUs)}`);
  const queries = [
    ...spans.flatMap((span) => [
      `checks?${span}`,
      `checks?${span}&fmt=csv`,
      `checks?${span}&Location=branch`,
    ]),
    ...['ResultCode=2', 'ResultCode=1', 'ResultCode=1,2', 'Location=branch', 'Limit=1000&Offset=900'].map(
      (filter) => `checks?${filter}`,
    ),
    ...spans.flatMap((span) => ['All', 'Hour', 'Day'].map((bucket) => `statistics?${span}&Bucket=${bucket}`)),
    'statistics',
    `uptime?${spans[1]}`,
    'suggested-master',
  ];
  for (const query of queries) lists.push((await read(`${path}/${query}`)).text);
  const ids = lists.slice(0, 3).flatMap((list) => idRow.parse(list).filter((_, i) => i % 250 === 0));
  for (const { check_id } of ids)
    lists.push((await read(`/checks/${check_id}`)).json, (await read(`/checks/${check_id}/extended`)).json);
  const from = { deviceNo, startUs: agoUs(11, 7), agentNo };
  const folded = (await checksFrom(db.kysely, [from], clock.nowUs())).get(deviceNo) ?? [];
  const facts = (checks: readonly { start_us: number; agent_no: number; check_result: string }[]) =>
    checks.map(({ start_us, agent_no, check_result }) => `${start_us}/${agent_no}/${check_result}`);
  lists.push(facts(folded).toSorted(), facts(await newestChecks(db.kysely, from, 1, 300)));
  return lists;
}

async function count(table: 'checks' | 'packed_checks' | 'days_to_compact'): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from ${sql.table(table)}`.execute(
    one.rest.db.kysely,
  );
  return rows[0]?.n ?? 0;
}

test('packed days read as the rows did: lists, pages, filters, CSV, single checks, statistics, uptime and what the fold reads', async () => {
  const before: unknown[][] = [];
  for (const device of devices) before.push(await readAll(device));
  const rows = await count('checks');
  const [first] = devices;
  const reading = new AbortController();
  const readers = readUntil(reading.signal, `/devices/${first?.deviceId}/checks?Limit=1000&Offset=850`);
  await pack().finally(() => reading.abort());
  expect(new Set(await readers).size, 'a list that is read while days are packed is the same').toBe(1);
  const packedDays = days - 8;
  expect(await count('packed_checks')).toBe(packedDays * devices.length);
  expect(await count('checks')).toBeLessThan(rows - packedDays * devices.length * checksADay * 0.9);
  for (const [i, device] of devices.entries()) expect(await readAll(device)).toEqual(before[i]);
  expect(await count('days_to_compact')).toBe(0);
}, 120_000);

test('a result that comes late for a packed day is stored once, counts in statistics, and is packed with the others', async () => {
  const { db, clock } = one.rest;
  const [device] = devices;
  if (device === undefined) throw new Error('no device');
  const { deviceNo, deviceId } = device;
  const beginUs = startOfDay(clock.nowUs()) - 11 * dayUs;
  const hour = `Timestamp1=${iso(beginUs)}&Timestamp2=${iso(beginUs + hourUs)}`;
  const counted = async () =>
    z
      .array(z.object({ Count: z.number() }))
      .parse((await read(`/devices/${deviceId}/statistics?${hour}`)).json)[0]?.Count ?? 0;
  const list = async () => idRow.parse((await read(`/devices/${deviceId}/checks?${hour}&Limit=1000`)).json);
  const old = await list();
  const countBefore = await counted();
  const known = await db.kysely
    .transaction()
    .execute((trx) => checksFrom(trx, [{ deviceNo, startUs: beginUs, agentNo: 0 }], clock.nowUs()));
  const repeated = (known.get(deviceNo) ?? []).find(
    (check) => check.agent_no === agentNo && check.code === 1,
  );
  if (repeated === undefined) throw new Error('no packed check');
  const startUs = repeated.start_us + secondUs;
  const sender = { agentNo, accountNo: one.accountNo };
  const batch = batchOf(result(deviceNo, repeated.start_us), result(deviceNo, startUs));
  expect(await ingest().accept(sender, batch)).toEqual({ inserted: 1, repeated: 1, quarantined: 0 });
  expect(await ingest().accept(sender, batch)).toEqual({ inserted: 0, repeated: 2, quarantined: 0 });
  const late = { check_id: checkId({ deviceNo, startUs, agentNo }) };
  const withLate = await list();
  expect(withLate).toHaveLength(old.length + 1);
  expect(withLate).toContainEqual(late);
  expect(await counted()).toBe(countBefore + 1);
  await rollUp();
  expect(await counted()).toBe(countBefore + 1);
  await pack();
  expect(await list()).toEqual(withLate);
  expect(await counted()).toBe(countBefore + 1);
  const rows = await db.kysely.selectFrom('checks').select('code').where('start_us', '=', startUs).execute();
  expect(rows).toEqual([]);
});

test('LastCheckResult of a device that has not been checked for long is that of its newest check, packed or not', async () => {
  const { db, clock } = one.rest;
  const [, device] = devices;
  if (device === undefined) throw new Error('no device');
  const beginUs = startOfDay(clock.nowUs()) - 8 * dayUs;
  await db.kysely
    .deleteFrom('check_rows')
    .where('device_no', '=', device.deviceNo)
    .where('start_us', '>=', beginUs)
    .execute();
  const shown = await read(`/devices/${device.deviceId}`);
  expect(shown.json).toMatchObject({ LastCheckResult: '200 OK' });
});

test('packed days go with the retention and with their device; damaged ones stop nobody', async () => {
  const { db, clock } = one.rest;
  const [first, second, third] = devices.map(({ deviceNo }) => deviceNo);
  const ofDevice = async (deviceNo: number | undefined) =>
    (
      await db.kysely
        .selectFrom('packed_checks')
        .select('day_us')
        .where('device_no', '=', deviceNo ?? 0)
        .execute()
    ).length;
  const before = await ofDevice(first);
  await dropPackedDays(db.kysely, startOfDay(clock.nowUs()) - (days - 1) * dayUs);
  expect(await ofDevice(first)).toBe(before - 1);
  expect((await one.send('DELETE', `/devices/${devices[1]?.deviceId}`)).status).toBe(200);
  await dropDaysOfDeleted(db.kysely);
  expect(await ofDevice(second)).toBe(0);
  expect(await ofDevice(first)).toBe(before - 1);
  await sql`update packed_checks set facts = '\\x0102' where device_no = ${first}`.execute(db.kysely);
  const beginUs = startOfDay(clock.nowUs()) - 10 * dayUs;
  const lateUs = beginUs + 5 * hourUs;
  const late = [first, third].map((deviceNo = 0) => result(deviceNo, lateUs));
  // The fold of the first device would read its damaged day.
  const outcome = await ingest().accept({ agentNo, accountNo: one.accountNo }, batchOf(...late));
  expect(outcome).toEqual({ inserted: 1, repeated: 0, quarantined: 1 });
  const span = { deviceNo: first ?? 0, fromUs: beginUs, toUs: beginUs + dayUs };
  const date = new Date(beginUs / 1000).toISOString().slice(0, 10);
  await expect(packedChecks(db.kysely, span)).rejects.toThrow(
    `the packed checks of device ${first} on ${date} cannot be read: `,
  );
  const { locationNo } = one;
  const [row] = sampleDay('TCP', { deviceNo: first ?? 0, dayUs: beginUs, checks: 1, agentNo, locationNo });
  await insert(row === undefined ? [] : [{ ...row, start_us: lateUs }]);
  await rollUp();
  await pack();
  const left = await db.kysely
    .selectFrom('checks')
    .select('device_no')
    .where('start_us', '=', lateUs)
    .execute();
  expect(left).toEqual([{ device_no: first }]);
});
