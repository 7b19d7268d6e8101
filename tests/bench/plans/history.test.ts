import { createLog, newId } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { createPartitions, type Db } from '@vantage/storage';
import { createFixtures } from '@vantage/testing/fixtures';
import { setUp } from '@vantage/testing/set-up';
import { useDatabase } from '@vantage/testing/use-database';
import { type RawBuilder, sql } from 'kysely';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type CheckPage, checksPage } from '../../../apps/controller/src/reading/history/check-store.ts';
import { type EventPage, eventsPage } from '../../../apps/controller/src/reading/history/event-store.ts';
import { judgedOutages, outagePlaces } from '../../../apps/controller/src/reading/outages/judged-outages.ts';
import { outagesWithFacts } from '../../../apps/controller/src/reading/outages/outage-facts.ts';
import type { OutagePage } from '../../../apps/controller/src/reading/outages/outage-page.ts';
import { tracedChecks } from '../../../apps/controller/src/reading/suggest-master/suggest-master-store.ts';

const dayUs = 86_400_000_000;
const days = 3;
const checks = Number(process.env['VANTAGE_TEST_PLAN_ROWS'] ?? 60_000);
const clock = createFakeClock(1_790_000_000_000_000);
const fromUs = clock.nowUs() - days * dayUs;
let db: Db;
let accountNo: number;
let deviceNo: number;
const deviceId = newId();

useDatabase(
  async (opened) => {
    db = opened;
    const log = createLog('plans', 'silent');
    await createPartitions({ db, clock, log, retentionDays: days }).ensure();
    const make = createFixtures(db.kysely);
    accountNo = await make.account();
    deviceNo = await make.device(accountNo, [], { device_id: deviceId });
    const other = await make.device(accountNo, []);
    const foreignNo = await make.account();
    const foreign = { accountNo: foreignNo, deviceNo: await make.device(foreignNo, []) };
    const stepUs = Math.floor((days * dayUs) / checks);
    // One check in a thousand is bad, and another device shares the tables.
    await setUp(db.kysely, async (connection) => {
      for (let from = 0; from < checks; from += 60_000)
        for (const [device, every] of [
          [deviceNo, 1],
          [other, 10],
        ])
          await sql`
        insert into check_rows (device_no, start_us, agent_no, location_no, end_us, arrived_us, revision, attempt, code, perf, block_ms,
          dns_ms, connect_ms, ssl_ms, ttfb_ms, ttlb_ms, data_size, check_result)
        select ${device}::int, ${fromUs}::bigint + i * ${stepUs}::bigint, 1, i % 3 + 1, 0, 0, 1, 0,
          case when i % 1000 = 0 then 2 else 1 end, 0, 0, 0, 0, 0, 0, 0, 0, 'ok'
        from generate_series(${from}::int, ${from + 59_999}::int, ${every}::int) i`.execute(connection);
      for (let from = 1; from < checks / 3; from += 20_000)
        await sql`
      insert into events (event_id, account_no, device_no, at_us, type, status, message, recorded_us)
      select i::text, case when i % 10 = 0 then ${accountNo}::int else ${foreign.accountNo}::int end,
        case when i % 10 = 0 then ${deviceNo}::int else ${foreign.deviceNo}::int end,
        ${fromUs}::bigint + i * ${stepUs}::bigint, 'Changed', 'Up', 'm', 1
      from generate_series(${from}::int, ${from + 19_999}::int) i`.execute(connection);
      await sql`
    insert into status_intervals select ${deviceNo}::int, ${fromUs}::bigint + i * ${stepUs}::bigint,
      case when i % 2 = 0 then 'Up' else 'Down' end from generate_series(1, ${Math.floor(checks / 30)}::int) i`.execute(
        connection,
      );
    });
  },
  { timeoutMs: 300_000 },
);

const plan: z.ZodType<Plan> = z.lazy(() =>
  z.object({
    'Node Type': z.string(),
    'Relation Name': z.string().optional(),
    Plans: z.array(plan).optional(),
  }),
);
interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string | undefined;
  readonly Plans?: Plan[] | undefined;
}

/** Tables that a statement reads from begin to end. */
async function readWhole(statement: RawBuilder<unknown>): Promise<string[]> {
  const { rows } = await sql<Record<string, unknown>>`explain (format json) ${statement}`.execute(db.kysely);
  const [{ Plan: root }] = z.tuple([z.object({ Plan: plan })]).parse(rows[0]?.['QUERY PLAN']);
  const scans = (node: Plan): string[] => [
    ...(node['Node Type'] === 'Seq Scan' ? [node['Relation Name'] ?? ''] : []),
    ...(node.Plans ?? []).flatMap(scans),
  ];
  const found = scans(root).filter((name) => /^(checks|events|status_intervals)/.test(name));
  // A day without checks has no pages to read.
  const sizes = await sql<{ name: string }>`
    select name from unnest(${found}::text[]) as name where pg_relation_size(name::regclass) > 0`.execute(
    db.kysely,
  );
  return sizes.rows.map(({ name }) => name);
}

const noFilter = { fromUs: undefined, untilUs: undefined, locationNos: undefined, limit: 100, offset: 0 };
const span = { fromUs: fromUs + dayUs, untilUs: fromUs + 2 * dayUs };
const checkPages: Readonly<Record<string, Partial<CheckPage>>> = {
  'the first page': {},
  'a late page': { offset: 5_000 },
  'a page before a check': { before: { deviceNo: 1, startUs: fromUs + dayUs, agentNo: 1 } },
  'a span': span,
  'a Location': { locationNos: [2] },
  'a Location without checks': { locationNos: [9] },
  'a ResultCode of few checks': { codes: [2, 3] },
  'a ResultCode of no check': { codes: [7] },
  'a ResultCode of most checks': { codes: [1, 2] },
  'Slow checks': { perfs: [1] },
  'all filters': {
    ...span,
    locationNos: [1],
    codes: [2],
    before: { deviceNo: 1, startUs: fromUs + 2 * dayUs, agentNo: 1 },
  },
};
const eventPages: Readonly<Record<string, Partial<EventPage>>> = {
  'the first page': {},
  'a page before an event': { before: { at_us: fromUs + dayUs, event_no: 1_000 } },
  'a span': span,
  'a type of no event': { types: ['Down', 'Up'] },
  'all filters': {
    ...span,
    types: ['Changed'],
    locationNos: [1],
    before: { at_us: fromUs + 2 * dayUs, event_no: 9 },
  },
};
const outagePages: Readonly<Record<string, Partial<OutagePage>>> = {
  'the first page': {},
  'a span': span,
  'a page before an outage': { before: { fromUs: fromUs + dayUs, deviceNo: 1 } },
};

function statements(): (readonly [name: string, statement: RawBuilder<unknown>])[] {
  const scopes = [{ deviceNo }, { accountNo }];
  return [
    ...Object.entries(checkPages).flatMap(([name, page]) =>
      (page.codes === undefined && page.perfs === undefined && page.locationNos === undefined
        ? [undefined, fromUs + dayUs]
        : [undefined]
      ).map(
        (recentFromUs) =>
          [
            `checks: ${name}${recentFromUs === undefined ? '' : ' of the last days'}`,
            checksPage(
              { accountNo, deviceId },
              { ...noFilter, codes: undefined, perfs: undefined, before: undefined, ...page },
              recentFromUs,
            ),
          ] as const,
      ),
    ),
    ...scopes.flatMap((scope) =>
      Object.entries(eventPages).map(
        ([name, page]) =>
          [
            `events of ${Object.keys(scope)[0]}: ${name}`,
            eventsPage(scope, {
              ...noFilter,
              types: undefined,
              deviceNos: undefined,
              tagNos: undefined,
              before: undefined,
              ...page,
            }),
          ] as const,
      ),
    ),
    ...Object.entries(outagePages).flatMap(([name, page]) => {
      const asked = { ...noFilter, before: undefined, nowUs: clock.nowUs(), ...page };
      const places = [{ device_no: deviceNo, from_us: fromUs, start_us: fromUs, end_us: null }];
      const span = { beginUs: fromUs, endUs: clock.nowUs() };
      return [
        [`places of outages of the device: ${name}`, outagePlaces({ deviceNo }, asked, span)],
        [`outages: ${name}`, judgedOutages(places, asked)],
        [`facts of outages: ${name}`, outagesWithFacts(places, asked.nowUs)],
      ] as const;
    }),
  ];
}

test.for([false, true])(
  'no page of a list reads a whole table of the history (tables analyzed: %s)',
  async (analyzed) => {
    if (analyzed)
      await sql`analyze check_rows, events, status_intervals, devices, maintenance_windows`.execute(
        db.kysely,
      );
    const whole: string[] = [];
    for (const [name, statement] of statements())
      whole.push(...(await readWhole(statement)).map((table) => `${name} reads all of ${table}`));
    expect(whole).toEqual([]);
  },
);

const analyzedPlan: z.ZodType<AnalyzedPlan> = z.lazy(() =>
  z.object({
    'Actual Rows': z.number(),
    'Actual Loops': z.number(),
    'Rows Removed by Filter': z.number().default(0),
    Plans: z.array(analyzedPlan).default([]),
  }),
);
interface AnalyzedPlan {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter': number;
  readonly Plans: readonly AnalyzedPlan[];
}

test('traceroutes are found without reading the good checks', async () => {
  await sql`analyze check_rows, devices`.execute(db.kysely);
  const statement = tracedChecks(deviceNo, clock.nowUs());
  const { rows } = await sql<Record<string, unknown>>`explain (analyze, format json) ${statement}`.execute(
    db.kysely,
  );
  const [{ Plan: root }] = z.tuple([z.object({ Plan: analyzedPlan })]).parse(rows[0]?.['QUERY PLAN']);
  const removed = (node: AnalyzedPlan): number =>
    node.Plans.reduce(
      (sum, one) => sum + removed(one),
      node['Rows Removed by Filter'] * node['Actual Loops'],
    );
  // All checks that failed have no traceroute here; one in a thousand failed.
  expect(removed(root)).toBeLessThanOrEqual(checks / 500);
});
