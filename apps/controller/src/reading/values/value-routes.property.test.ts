import { dayUs, hourUs, minuteUs } from '@vantage/domain';
import { createLog, newId } from '@vantage/kernel';
import { propertyRuns } from '@vantage/kernel/testing';
import { createPartitions } from '@vantage/storage';
import { createFixtures } from '@vantage/testing/fixtures';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { runRequests } from '../../agents/run-requests/index.ts';
import { createDayPacker, createIngest } from '../../results/ingest/index.ts';
import { batchOf, result } from '../../results/ingest/testing/ingest-fixture.ts';
import { rollUps } from '../../results/roll-up/index.ts';
import { createRestFixture, type RestFixture } from '../../testing/rest-fixture.ts';

const log = createLog('values', 'silent');
const retentionDays = 12;
/** Dubai is four hours ahead of UTC all year. */
const zoneUs = 4 * hourUs;

const labels = ['in', 'out', 'temperature, inlet'] as const;
const units: Readonly<Record<string, string>> = { in: 'bit/s', out: 'bit/s', 'temperature, inlet': '°C' };
const amount = fc
  .oneof(
    fc.double({ min: -1e6, max: 1e6, noNaN: true }),
    fc.integer({ min: 0, max: 5 }),
    fc.constantFrom(0, 1e12, -40.5),
  )
  // The database stores -0 as 0.
  .map((value) => value + 0);
const measured = fc
  .record(Object.fromEntries(labels.map((label) => [label, fc.option(amount, { freq: 3, nil: undefined })])))
  .map((values) =>
    Object.entries(values).flatMap(([label, value]) => (value === undefined ? [] : [{ label, value }])),
  );

/** A result that arrives now, late by up to four days. */
const arrives = fc.record({
  kind: fc.constant('arrives' as const),
  agent: fc.constantFrom(0 as const, 1 as const),
  lateMinutes: fc.oneof(fc.integer({ min: 2, max: 90 }), fc.integer({ min: 2, max: 4 * 24 * 60 })),
  code: fc.constantFrom(1, 1, 1, 7),
  isSentTwice: fc.boolean(),
  values: measured,
});
type Step =
  | {
      readonly kind: 'arrives';
      readonly agent: 0 | 1;
      readonly lateMinutes: number;
      readonly code: number;
      readonly isSentTwice: boolean;
      readonly values: readonly { readonly label: string; readonly value: number }[];
    }
  | { readonly kind: 'roll' | 'pack' }
  | { readonly kind: 'passes'; readonly hours: number };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: arrives },
  { weight: 2, arbitrary: fc.constant({ kind: 'roll' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'pack' as const }) },
  {
    weight: 2,
    arbitrary: fc.integer({ min: 1, max: 40 }).map((hours) => ({ kind: 'passes' as const, hours })),
  },
);

/** A value that was accepted. */
interface Accepted {
  readonly us: number;
  readonly label: string;
  readonly value: number;
  readonly agent: 0 | 1;
}

async function begin(rest: RestFixture) {
  const { clock, db } = rest;
  await sql`delete from check_rows`.execute(db.kysely);
  await sql`delete from packed_checks`.execute(db.kysely);
  const account = await rest.account(newId(), 'Asia/Dubai');
  const { key } = await rest.key(account.accountNo, 'UR');
  const rows = createFixtures(db.kysely);
  const locationNos = [account.locationNo, await rows.location(account.accountNo, { name: 'far' })];
  const fromUs = clock.nowUs() - 10 * dayUs;
  const deviceNo = await rows.device(account.accountNo, locationNos, { created_us: fromUs });
  const agentNos: number[] = [];
  for (const locationNo of locationNos) {
    const { agentNo } = await rows.agent({ accountNo: account.accountNo, locationNo });
    await rows.hold({ deviceNo, agentNo, locationNo, fromUs });
    agentNos.push(agentNo);
  }
  const { device_id: deviceId } = await db.kysely
    .selectFrom('devices')
    .select('device_id')
    .where('device_no', '=', deviceNo)
    .executeTakeFirstOrThrow();
  const partitions = createPartitions({ db, clock, log, retentionDays });
  await partitions.ensure();
  const deps = { db, clock, log, retentionDays };
  const ingest = createIngest({ ...deps, partitions, rollUps, runRequests, fold: async () => {} });
  const rollUp = rollUps.createRollUp(deps);
  const packer = createDayPacker({ ...deps, afterDays: 1, isRolledUp: rollUps.isRolledUp });
  const accepted: Accepted[] = [];
  const used = new Set<number>();
  return {
    key,
    deviceId,
    accepted,
    async run(one: Step) {
      switch (one.kind) {
        case 'roll':
          return void (await rollUp.run());
        case 'pack':
          return void (await packer.run());
        case 'passes':
          await clock.advance((one.hours * hourUs) / 1000);
          return partitions.ensure();
        case 'arrives': {
          let us = clock.nowUs() - one.lateMinutes * minuteUs;
          while (used.has(us)) us -= 1_000_000;
          used.add(us);
          const values = one.values.map(({ label, value }) => ({ label, value, unit: units[label] ?? '' }));
          const batch = batchOf(result(deviceNo, us, { resultCode: one.code, values }));
          const sender = { agentNo: agentNos[one.agent] ?? 0, accountNo: account.accountNo };
          expect(await ingest.accept(sender, batch)).toMatchObject({ inserted: 1 });
          if (one.isSentTwice) expect(await ingest.accept(sender, batch)).toMatchObject({ repeated: 1 });
          for (const { label, value } of one.values) accepted.push({ us, label, value, agent: one.agent });
        }
      }
    },
  };
}

const widths = {
  Raw: 1,
  '5Min': 5 * minuteUs,
  '30Min': 30 * minuteUs,
  Hour: hourUs,
  '6Hour': 6 * hourUs,
  Day: dayUs,
} as const;
type Bucket = keyof typeof widths;

/** The figures of each bucket that has a value, by label and start. */
function oracle(accepted: readonly Accepted[], bucket: Bucket): Record<string, number[]> {
  const shift = bucket === '6Hour' || bucket === 'Day' ? zoneUs : 0;
  const groups = Map.groupBy(accepted, ({ us, label }) => {
    const begin = us - ((us + shift) % widths[bucket]);
    return `${label} ${Math.floor(begin / 1_000_000)}`;
  });
  return Object.fromEntries(
    [...groups].map(([name, values]) => [name, values.map(({ value }) => value).sort((a, b) => a - b)]),
  );
}

/** The figures of each label in one bucket. */
function wholeOf(accepted: readonly Accepted[]): Record<string, number[][]> {
  const groups = Map.groupBy(accepted, ({ label }) => label);
  return Object.fromEntries(
    [...groups].map(([label, values]) => {
      const all = values.map(({ value }) => value);
      return [label, [[all.length, Math.min(...all), Math.max(...all)]]];
    }),
  );
}

interface ShownRow {
  readonly Label: string;
  readonly Unit: string;
  readonly Buckets: readonly {
    Start: string;
    Count: number;
    Min: number;
    Mean: number;
    Max: number;
    P95: number;
  }[];
}

function expectFigures(rows: readonly ShownRow[], expected: Record<string, number[]>): void {
  const seen = rows.flatMap(({ Label, Unit, Buckets }) => {
    expect(Unit).toBe(units[Label]);
    return Buckets.map((bucket) => [`${Label} ${Date.parse(bucket.Start) / 1000}`, bucket] as const);
  });
  expect(seen.map(([name]) => name).sort()).toEqual(Object.keys(expected).sort());
  for (const [name, { Count, Min, Mean, Max, P95 }] of seen) {
    const values = expected[name] ?? [];
    expect({ Count, Min, Max }).toEqual({ Count: values.length, Min: values[0], Max: values.at(-1) });
    const largest = Math.max(...values.map(Math.abs));
    expect(Math.abs(Mean - values.reduce((sum, one) => sum + one, 0) / values.length)).toBeLessThanOrEqual(
      largest * 1e-9,
    );
    const p95 = values[Math.ceil(values.length * 0.95) - 1] ?? 0;
    expect(Math.abs(P95 - p95)).toBeLessThanOrEqual(Math.max(2e-9, Math.abs(p95) * 0.0201));
  }
}

test('late and repeated results, gaps, roll-ups and packed days in any order: each bucket has the figures of all accepted values', async () => {
  await using rest = await createRestFixture();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25, size: 'max' }), async (steps) => {
      const system = await begin(rest);
      for (const one of steps) await system.run(one);
      const { accepted, deviceId, key } = system;
      const read = async (query: string) => {
        const reply = await rest.send('GET', `/devices/${deviceId}/values?${query}`, { key });
        expect(reply.status, JSON.stringify(reply.json)).toBe(200);
        return reply.json as readonly ShownRow[];
      };
      const check = async () => {
        for (const bucket of Object.keys(widths) as Bucket[])
          expectFigures(await read(`Bucket=${bucket}`), oracle(accepted, bucket));
        const whole = (await read('Points=1')).map(({ Label, Buckets }) => [
          Label,
          Buckets.map(({ Count, Min, Max }) => [Count, Min, Max]),
        ]);
        expect(Object.fromEntries(whole)).toEqual(wholeOf(accepted));
        const near = accepted.filter(({ agent }) => agent === 0);
        expectFigures(await read('Bucket=Hour&Location=local'), oracle(near, 'Hour'));
        const one = accepted.filter(({ label }) => label === 'temperature, inlet');
        const rows = await read(`Bucket=Day&Label=${encodeURIComponent('temperature, inlet')}`);
        expectFigures(rows, oracle(one, 'Day'));
      };
      await check();
      await system.run({ kind: 'roll' });
      await check();
      await system.run({ kind: 'pack' });
      await check();
    }),
    { numRuns: propertyRuns(12) },
  );
});
