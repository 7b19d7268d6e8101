import { dayMs, dayUs, hourUs } from '@vantage/domain';
import { createLog } from '@vantage/kernel';
import { advanceUntilEnded, createFakeClock, propertyRuns } from '@vantage/kernel/testing';
import { createPartitions, type Database } from '@vantage/storage';
import { checksOfSpan } from '@vantage/storage/packed';
import { createFixtures } from '@vantage/testing/fixtures';
import { useDatabase } from '@vantage/testing/use-database';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { runRequests } from '../../agents/run-requests/index.ts';
import { createIngest } from '../ingest/index.ts';
import { batchOf, result } from '../ingest/testing/ingest-fixture.ts';
import { createDayPacker } from '../packing/pack-days.ts';
import { dropPackedDays } from '../packing/packed-days-store.ts';
import { compareSums } from './compare-sums.ts';
import { rollUps } from './index.ts';
import { readRetired } from './progress.ts';

const log = createLog('roll-up property test', 'silent');
const retentionDays = 4;
/** A day waits this long at most for its roll-up when it is older than the retention. */
const maxNights = 2;
const startUs = Date.UTC(2027, 2, 14, 12) * 1000;
let db: Database;

useDatabase((opened) => {
  db = opened;
});

/** A result that an agent delivers now. */
interface Late {
  readonly kind: 'late';
  readonly device: 0 | 1;
  /** Before the present day. */
  readonly daysAgo: number;
  readonly hour: number;
  readonly second: number;
  readonly code: number;
}

type Step = Late | { readonly kind: 'roll' | 'pack' | 'retain' | 'compare' };
/** Steps that run at the same time, or a night. */
type Group = { readonly kind: 'night' } | { readonly kind: 'together'; readonly steps: readonly Step[] };

const late = fc.record({
  kind: fc.constant('late' as const),
  device: fc.constantFrom(0 as const, 1 as const),
  daysAgo: fc.constantFrom(1, 2, 3, 3, 3, 4, 4),
  hour: fc.constantFrom(13, 14),
  second: fc.integer({ min: 0, max: 4 }),
  code: fc.constantFrom(1, 1, 1, 2, 9),
});
const job = fc.constantFrom<Step>(
  { kind: 'roll' },
  { kind: 'roll' },
  { kind: 'pack' },
  { kind: 'pack' },
  { kind: 'retain' },
  { kind: 'compare' },
);
/** Each job runs at most once at a time, as under the lease of its controller. */
const together = fc
  .tuple(
    fc.array(late, { maxLength: 4 }),
    fc.uniqueArray(job, { selector: ({ kind }) => kind, maxLength: 4 }),
  )
  .map(([results, jobs]): Group => ({ kind: 'together', steps: [...results, ...jobs] }));
const groups = fc
  .array(
    fc.oneof(
      { weight: 1, arbitrary: fc.constant<Group>({ kind: 'night' }) },
      { weight: 6, arbitrary: together },
    ),
    {
      minLength: 4,
      maxLength: 14,
      size: 'max',
    },
  )
  .map((list) => {
    let nights = 0;
    return list.filter((group) => group.kind !== 'night' || ++nights <= maxNights);
  });

/** A system without results, whose clock begins at noon. */
async function begin() {
  for (const table of [
    'check_rows',
    'packed_checks',
    'rollup_hourly',
    'rollup_daily',
    'rollup_dirty',
    'job_cursors',
    'sum_differences',
    'days_to_compact',
    'devices',
  ])
    await sql`delete from ${sql.table(table)}`.execute(db.kysely);
  const clock = createFakeClock(startUs);
  const partitions = createPartitions({ db, clock, log, retentionDays });
  await partitions.ensure();
  const make = createFixtures(db.kysely);
  const accountNo = await make.account();
  const locationNo = await make.location(accountNo);
  const { agentNo } = await make.agent({ accountNo, locationNo });
  const deviceNos: number[] = [];
  for (let i = 0; i < 2; i += 1) {
    const deviceNo = await make.device(accountNo, [locationNo], { created_us: startUs - 9 * dayUs });
    await make.hold({ deviceNo, agentNo, locationNo, fromUs: startUs - 9 * dayUs });
    deviceNos.push(deviceNo);
  }
  const deps = { db, clock, log, retentionDays };
  const ingest = createIngest({ ...deps, partitions, rollUps, runRequests, fold: async () => {} });
  const rollUp = rollUps.createRollUp(deps);
  const packer = createDayPacker({ ...deps, afterDays: 2, isRolledUp: rollUps.isRolledUp });
  /** The codes of the accepted checks, by device and start. */
  const accepted = new Map<string, number>();
  const compare = () =>
    compareSums(db.kysely, {
      clock,
      days: undefined,
      withinMs: undefined,
      random: Math.random,
      say: () => {},
    });

  const take = async ({ device, daysAgo, hour, second, code }: Late) => {
    const deviceNo = deviceNos[device] ?? 0;
    const today = clock.nowUs() - 12 * hourUs;
    const atUs = today - daysAgo * dayUs + hour * hourUs + second * 1_000_000;
    const batch = batchOf(result(deviceNo, atUs, { resultCode: code }));
    const { inserted } = await ingest.accept({ agentNo, accountNo }, batch);
    if (inserted === 1) accepted.set(`${deviceNo}/${atUs}`, code);
  };

  const steps: Readonly<Record<Exclude<Step['kind'], 'late'>, () => Promise<unknown>>> = {
    roll: () => rollUp.run(),
    pack: () => packer.run(),
    async retain() {
      const nowUs = await rollUps.retireDays(db.kysely, { nowUs: clock.nowUs(), retentionDays });
      await partitions.drop(nowUs);
      await dropPackedDays(db.kysely, nowUs - retentionDays * dayUs);
    },
    async compare() {
      expect(await compare()).toMatchObject({ repaired: 0, damaged: 0 });
    },
  };
  return {
    accepted,
    compare,
    packer,
    rollUp,
    async run(group: Group) {
      if (group.kind === 'night') {
        await clock.advance(dayMs);
        await partitions.ensure();
        return;
      }
      const work = group.steps.map((step) => (step.kind === 'late' ? take(step) : steps[step.kind]()));
      // After a deadlock, results are stored again some milliseconds later.
      await advanceUntilEnded(clock, 1, Promise.all(work));
    },
  };
}

/** The sums of regular checks by device and hour, from the oracle. */
function sumsOf(accepted: ReadonlyMap<string, number>): Record<string, string> {
  const sums = new Map<string, [checks: number, errors: number, inconclusive: number]>();
  for (const [key, code] of accepted) {
    const [device, at] = key.split('/');
    const hour = `${device}/${Number(at) - (Number(at) % hourUs)}`;
    const [checks, errors, inconclusive] = sums.get(hour) ?? [0, 0, 0];
    sums.set(hour, [checks + 1, errors + Number(code === 2), inconclusive + Number(code === 9)]);
  }
  return Object.fromEntries([...sums].map(([hour, counts]) => [hour, counts.join(' ')]));
}

async function storedSums(table: 'rollup_hourly' | 'rollup_daily'): Promise<Record<string, string>> {
  const rows = await db.kysely.selectFrom(table).selectAll().execute();
  return Object.fromEntries(
    rows.map((row) => [
      `${row.device_no}/${row.bucket_us}`,
      `${row.checks} ${row.errors} ${row.inconclusive}`,
    ]),
  );
}

test('late results, roll-ups, packing and retention in any order: each sum is that of all accepted checks, and no comparison reports a difference', async () => {
  await fc.assert(
    fc.asyncProperty(groups, async (list) => {
      const system = await begin();
      for (const group of list) await system.run(group);
      await system.rollUp.run();
      expect(await system.packer.run()).toBe(true);
      const expected = sumsOf(system.accepted);
      expect(await storedSums('rollup_hourly')).toEqual(expected);
      expect(await system.compare()).toMatchObject({ repaired: 0, damaged: 0, failed: 0 });
      expect(Object.keys(await storedSums('rollup_daily')).length).toBe(
        new Set(Object.keys(expected).map((key) => dayOf(key))).size,
      );
      const retiredUs = (await readRetired(db.kysely)) ?? 0;
      for (const deviceNo of new Set([...system.accepted.keys()].map((key) => Number(key.split('/')[0])))) {
        const kept = [...system.accepted.keys()].filter(
          (key) => key.startsWith(`${deviceNo}/`) && Number(key.split('/')[1]) >= retiredUs,
        );
        const span = { deviceNo, fromUs: retiredUs, toUs: startUs + 9 * dayUs };
        expect((await checksOfSpan(db.kysely, span)).map((row) => `${deviceNo}/${row.start_us}`)).toEqual(
          kept.sort(byStart),
        );
      }
    }),
    { numRuns: propertyRuns(12) },
  );
});

function dayOf(key: string): string {
  const [device, at] = key.split('/');
  return `${device}/${Number(at) - (Number(at) % dayUs)}`;
}

function byStart(a: string, b: string): number {
  return Number(a.split('/')[1]) - Number(b.split('/')[1]);
}
