import { secondUs } from '@vantage/domain';
import { timeline, type Uptime, uptime } from '@vantage/health';
import type { Db } from '@vantage/storage';
import { createFixtures } from '@vantage/testing/fixtures';
import { useDatabase } from '@vantage/testing/use-database';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { timelines, uptimeParts, uptimes } from './device-uptime.ts';

const nowUs = 100_000 * secondUs;
const changes = 30_000;
/** Odd lengths, so that no cut falls on a change. */
const beginUs = (n: number) => (1_000 + n * 3) * secondUs + 400_000;
const statusOf = (n: number) => (['Up', 'Down', 'Unknown', 'Down', 'Up', 'Unknown'] as const)[n % 6] ?? 'Up';
let db: Db;
let statements = 0;
let busy: number;
let quiet: number;

useDatabase(
  async (opened) => {
    db = opened;
    const make = createFixtures(db.kysely);
    const accountNo = await make.account();
    const locationNo = await make.location(accountNo);
    const { agentNo } = await make.agent({ accountNo, locationNo });
    busy = await make.device(accountNo, []);
    quiet = await make.device(accountNo, []);
    for (const deviceNo of [busy, quiet])
      await make.hold({ deviceNo, agentNo, locationNo, fromUs: 1, toUs: nowUs });
    await sql`insert into coverage (agent_no, from_us, to_us) values (${agentNo}, 1, ${nowUs})`.execute(
      db.kysely,
    );
    await sql`insert into status_intervals select ${busy}, (1000 + n * 3) * 1000000::bigint + 400000,
      (array['Up', 'Down', 'Unknown', 'Down', 'Up', 'Unknown'])[n % 6 + 1] from generate_series(0, ${changes - 1}) n`.execute(
      db.kysely,
    );
    await sql`insert into status_intervals values (${quiet}, 5, 'Up')`.execute(db.kysely);
    for (const [fromUs, toUs] of [
      [5_000, 9_000],
      [50_000, 50_004],
    ])
      await sql`insert into maintenance_windows (device_no, from_us, to_us)
        values (${busy}, ${(fromUs ?? 0) * secondUs}, ${(toUs ?? 0) * secondUs})`.execute(db.kysely);
    await sql`insert into outage_notes (device_no, from_us, excluded) values (${busy}, ${beginUs(601)}, true)`.execute(
      db.kysely,
    );
  },
  {
    onStatement: () => {
      statements += 1;
    },
  },
);

const facts = () => ({
  createdUs: 1,
  intervals: Array.from({ length: changes }, (_, n) => ({ fromUs: beginUs(n), status: statusOf(n) })),
  coverage: [{ fromUs: 1, toUs: nowUs }],
  maintenance: [
    { fromUs: 5_000 * secondUs, toUs: 9_000 * secondUs },
    { fromUs: 50_000 * secondUs, toUs: 50_004 * secondUs },
  ],
  excluded: [{ fromUs: beginUs(601), toUs: beginUs(604) }],
});
const asked = () => ({
  devices: [quiet, busy].map((deviceNo) => ({ deviceNo, createdUs: 1, fromUs: 2 * secondUs })),
  toUs: nowUs,
  nowUs,
});
const period = { fromUs: 2 * secondUs, toUs: nowUs };

test('the uptime of a device with more changes than are read at one time is that of all its changes', async () => {
  statements = 0;
  const found = await uptimes(db.kysely, asked());
  expect(statements).toBeGreaterThan(10);
  expect(found.get(busy)).toEqual(uptime(facts(), period));
  expect(found.get(quiet)).toMatchObject({ UpSeconds: 99_998, Outages: 0 });
});

test('its statuses come in parts, in the order of time and without a hole', async () => {
  const parts: (typeof period & { status: string })[] = [];
  await timelines(db.kysely, asked(), (deviceNo, spans) => {
    if (deviceNo === busy) parts.push(...spans);
  });
  const joined: typeof parts = [];
  for (const part of parts) {
    const last = joined.at(-1);
    expect(part.fromUs).toBe(last?.toUs ?? period.fromUs);
    if (last?.status === part.status) joined[joined.length - 1] = { ...last, toUs: part.toUs };
    else joined.push(part);
  }
  expect(joined).toEqual(timeline(facts(), period));
});

test('equal spans of its last day are those of all its changes', async () => {
  const ask = { deviceNo: busy, createdUs: 1, parts: 48, partUs: 1_800 * secondUs, nowUs };
  const fromUs = (n: number) => nowUs - (48 - n) * ask.partUs;
  const secondsOf = ({ UpSeconds, DownSeconds, MaintenanceSeconds, UnknownSeconds }: Uptime) => ({
    UpSeconds,
    DownSeconds,
    MaintenanceSeconds,
    UnknownSeconds,
  });
  expect((await uptimeParts(db.kysely, ask)).map(secondsOf)).toEqual(
    Array.from({ length: 48 }, (_, n) =>
      secondsOf(uptime(facts(), { fromUs: fromUs(n), toUs: fromUs(n + 1) })),
    ),
  );
});
