import { joinSpans, type Span } from '@vantage/domain';
import { type BaseInterval, outages } from '@vantage/health';
import type { Db } from '@vantage/storage';
import { createFixtures } from '@vantage/testing/fixtures';
import { useDatabase } from '@vantage/testing/use-database';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { OutageRow } from './outage-page.ts';
import { listOutages } from './outage-store.ts';

let db: Db;
let accountNo: number;
let deviceNos: readonly number[];
const nowUs = 1_000;

useDatabase(async (opened) => {
  db = opened;
  const make = createFixtures(db.kysely);
  accountNo = await make.account();
  deviceNos = [await make.device(accountNo, []), await make.device(accountNo, [])];
  const other = await make.account();
  const foreign = await make.device(other, []);
  await sql`insert into status_intervals values (${foreign}, 1, 'Down')`.execute(db.kysely);
});

/** The outages of the pure core, without their time in maintenance. */
function expectedOf(intervals: readonly BaseInterval[], windows: readonly Span[]) {
  const maintenance = joinSpans(windows);
  return outages(intervals).flatMap(({ fromUs, toUs }) => {
    const covering = maintenance.find((span) => span.fromUs <= fromUs && span.toUs > fromUs);
    const startUs = covering?.toUs ?? fromUs;
    if (startUs >= Math.min(toUs, nowUs)) return [];
    return [{ from_us: fromUs, start_us: startUs, end_us: toUs === Number.POSITIVE_INFINITY ? null : toUs }];
  });
}

const history = fc.record({
  intervals: fc
    .uniqueArray(fc.tuple(fc.integer({ min: 1, max: 900 }), fc.constantFrom('Up', 'Down', 'Unknown')), {
      selector: ([at]) => at,
      maxLength: 12,
    })
    .map((all) =>
      all
        .sort(([a], [b]) => a - b)
        .map(([fromUs, status]): BaseInterval => ({ fromUs, status }))
        // Adjacent intervals of one status are one interval.
        .filter(({ status }, at, sorted) => at === 0 || sorted[at - 1]?.status !== status),
    ),
  windows: fc.array(
    fc
      .tuple(fc.integer({ min: 0, max: 1_200 }), fc.integer({ min: 1, max: 400 }))
      .map(([fromUs, length]) => ({ fromUs, toUs: fromUs + length })),
    { maxLength: 4 },
  ),
});

test('lists the outages of the pure core, newest first, whatever the pages and the span', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(history, history),
      fc.integer({ min: 1, max: 4 }),
      fc.option(fc.tuple(fc.nat(1_000), fc.nat(1_000)), { nil: undefined }),
      async (histories, limit, ends) => {
        await sql`delete from status_intervals where device_no = any(${deviceNos}::int[])`.execute(db.kysely);
        await sql`delete from maintenance_windows`.execute(db.kysely);
        for (const [at, { intervals, windows }] of histories.entries()) {
          const no = deviceNos[at];
          for (const { fromUs, status } of intervals)
            await sql`insert into status_intervals values (${no}, ${fromUs}, ${status})`.execute(db.kysely);
          for (const { fromUs, toUs } of windows)
            await sql`insert into maintenance_windows (device_no, from_us, to_us) values (${no}, ${fromUs}, ${toUs})`.execute(
              db.kysely,
            );
        }
        const fromUs = ends === undefined ? undefined : Math.min(...ends);
        const untilUs = ends === undefined ? undefined : Math.max(...ends);
        const expected = histories
          .flatMap(({ intervals, windows }, at) =>
            expectedOf(intervals, windows).map((one) => ({ device_no: deviceNos[at] ?? 0, ...one })),
          )
          .filter(
            ({ start_us, end_us }) =>
              (fromUs === undefined || (end_us ?? nowUs) >= fromUs) &&
              (untilUs === undefined || start_us < untilUs),
          )
          .sort((a, b) => b.from_us - a.from_us || b.device_no - a.device_no);
        const found: OutageRow[] = [];
        for (let before: { fromUs: number; deviceNo: number } | undefined; ; ) {
          const page = { fromUs, untilUs, before, limit, offset: 0, nowUs };
          const { rows, isComplete } = await listOutages(db, { accountNo }, page);
          expect(isComplete).toBe(true);
          found.push(...rows.slice(0, limit));
          const last = rows[limit - 1];
          if (rows.length <= limit || last === undefined) break;
          before = { fromUs: last.from_us, deviceNo: last.device_no };
        }
        expect(
          found.map(({ device_no, from_us, start_us, end_us }) => ({ device_no, from_us, start_us, end_us })),
        ).toEqual(expected);
      },
    ),
    { numRuns: 150 },
  );
});
