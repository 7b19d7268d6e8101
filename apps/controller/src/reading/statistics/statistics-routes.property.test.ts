import { hourUs, minuteUs } from '@vantage/domain';
import { createLog } from '@vantage/kernel';
import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { rollUps } from '../../results/roll-up/index.ts';
import { createRestFixture, type RestFixture } from '../../testing/rest-fixture.ts';
import { addChecks, createSampleAccount } from '../../testing/sample-account.ts';
import { statisticsRow } from './statistics-figures.ts';

const names = ['DNSTime', 'ConnectTime', 'SSLTime', 'TTFB', 'TTLB'] as const;
const rows = statisticsRow.array();
const hours = 30;

interface Seen {
  readonly startUs: number;
  readonly code: number;
  /** In the order of `names`, milliseconds. */
  readonly phases: readonly number[];
}

const phaseMs = fc.oneof(
  { weight: 1, arbitrary: fc.constant(0) },
  { weight: 3, arbitrary: fc.integer({ min: 2, max: 400_000 }).map((us) => us / 1000) },
);
const seen = (fromUs: number) =>
  fc
    .uniqueArray(
      fc.record({
        startUs: fc.integer({ min: 0, max: hours * 60 - 1 }).map((minute) => fromUs + minute * minuteUs),
        code: fc.constantFrom(1, 1, 1, 1, 2, 9),
        phases: fc.tuple(phaseMs, phaseMs, phaseMs, phaseMs, phaseMs),
      }),
      { selector: ({ startUs }) => startUs, minLength: 1, maxLength: 150 },
    )
    .map((checks) => checks.sort((a, b) => a.startUs - b.startUs));

/** Replaces the checks of the device, and forgets its roll-ups. */
async function replaceChecks(
  rest: RestFixture,
  who: Parameters<typeof addChecks>[1],
  checks: readonly Seen[],
) {
  const { kysely } = rest.db;
  await kysely.deleteFrom('check_rows').where('device_no', '=', who.deviceNo).execute();
  for (const table of ['rollup_hourly', 'rollup_daily', 'job_cursors', 'rollup_dirty'] as const)
    await kysely.deleteFrom(table).execute();
  await addChecks(
    rest,
    who,
    checks.map(({ startUs }) => startUs),
  );
  const phasesOf = (at: number) => checks.map(({ phases }) => phases[at] ?? 0);
  await sql`
    update check_rows r set code = g.code, dns_ms = g.dns, connect_ms = g.connect, ssl_ms = g.ssl, ttfb_ms = g.ttfb, ttlb_ms = g.ttlb
    from unnest(${checks.map(({ startUs }) => startUs)}::bigint[], ${checks.map(({ code }) => code)}::smallint[],
      ${phasesOf(0)}::real[], ${phasesOf(1)}::real[], ${phasesOf(2)}::real[], ${phasesOf(3)}::real[], ${phasesOf(4)}::real[])
      as g (start_us, code, dns, connect, ssl, ttfb, ttlb)
    where r.device_no = ${who.deviceNo}::int and r.start_us = g.start_us`.execute(kysely);
}

/** The value at the nearest rank. */
function rankOf(values: readonly number[], p: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(1, Math.ceil(sorted.length * p)) - 1] ?? 0;
}

test('phases and histograms are those of the checks: raw, rolled up, or rolled up before phases were kept', async () => {
  await using rest = await createRestFixture();
  const account = await rest.account('one', 'Asia/Kathmandu');
  const { key } = await rest.key(account.accountNo, 'UW');
  const { ids, deviceNo, agentNo } = await createSampleAccount(rest, account, key);
  const nowUs = rest.clock.nowUs();
  const fromUs = nowUs - (nowUs % hourUs) - (hours + 1) * hourUs;
  const period = `Timestamp1=${new Date(fromUs / 1000).toISOString()}&Timestamp2=${new Date((fromUs + hours * hourUs) / 1000).toISOString()}`;
  const read = async (bucket: string) => {
    const path = `/devices/${ids['device_id']}/statistics?${period}&Bucket=${bucket}&With=Phases,Histogram&Location=local`;
    return rows.parse((await rest.send('GET', path, { key })).json);
  };
  const readAll = () => Promise.all(['All', 'Hour', 'Day', 'Week'].map(read));

  await fc.assert(
    fc.asyncProperty(seen(fromUs), async (checks) => {
      await replaceChecks(rest, { ...account, deviceNo, agentNo }, checks);
      const raw = await readAll();
      const good = checks.filter(({ code }) => code === 1);
      const [all] = raw[0] ?? [];
      expect((all?.Histogram ?? []).reduce((sum, [, n = 0]) => sum + n, 0)).toBe(good.length);
      for (const [at, name] of names.entries()) {
        const shown = all?.Phases?.[name];
        if (good.length === 0) {
          expect(shown).toBeUndefined();
          continue;
        }
        const values = good.map(({ phases }) => phases[at] ?? 0);
        expect(shown?.Mean).toBeCloseTo(values.reduce((sum, ms) => sum + ms, 0) / values.length, 2);
        for (const [p, percentile] of [
          [0.5, shown?.P50],
          [0.95, shown?.P95],
        ] as const) {
          const truth = rankOf(values, p);
          expect(Math.abs((percentile ?? -1) - truth)).toBeLessThanOrEqual(0.0201 * truth + 0.001);
        }
      }
      const minutes = await read('15Min');
      expect(minutes.reduce((sum, { Count }) => sum + Count, 0)).toBe(checks.length);
      expect(minutes.every(({ Timestamp }) => Date.parse(Timestamp) % 900_000 === 0)).toBe(true);
      expect(
        raw[3]?.every(({ Timestamp }) => new Date(`${Timestamp.slice(0, 10)}T00:00Z`).getUTCDay() === 1),
      ).toBe(true);

      await rollUps.createRollUp({ db: rest.db, clock: rest.clock, log: createLog('stats', 'silent') }).run();
      expect(await readAll()).toEqual(raw);
      const none = { phase_sums: null, phase_histogram: null };
      await rest.db.kysely.updateTable('rollup_hourly').set(none).execute();
      await rest.db.kysely.updateTable('rollup_daily').set(none).execute();
      expect(await readAll()).toEqual(raw);
    }),
    { numRuns: propertyRuns(8) },
  );
}, 300_000);
