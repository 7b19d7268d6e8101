import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLog } from '@vantage/kernel';
import { createDb } from '@vantage/storage';
import { createTestDatabase } from '@vantage/testing/database';
import { createFixtures } from '@vantage/testing/fixtures';
import { expect, test } from 'vitest';
import { compareSums, judgeSums } from './compare-sums.ts';

const nothing = { hours: 0, days: 0, packed_days: 0, repaired: 0, damaged: 0, failed: 0, faults: [] };

test.each([
  ['all agree', {}, 'ok', '48 hours and 2 days of devices (1 packed) were compared with their checks'],
  [
    'sums were repaired',
    { repaired: 1, faults: ['gw-1: the sums of 05:00 UTC'] },
    'warning',
    /; 1 day differed .*: gw-1/,
  ],
  ['checks are damaged', { damaged: 2 }, 'warning', /2 days with damaged or missing checks keep their sums/],
  ['days were not compared', { failed: 3 }, 'warning', /3 days could not be compared/],
])('%s', (_what, more, level, text) => {
  const found = judgeSums({ ...nothing, hours: 48, days: 2, packed_days: 1, ...more });
  expect(found).toMatchObject([
    { level, step: 'sums', text: typeof text === 'string' ? text : expect.stringMatching(text) },
  ]);
});

test('a corrupted sum of the database in the settings is computed again and reported, and the next call finds nothing', async () => {
  await using database = await createTestDatabase();
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-sums-'));
  const db = await createDb({ connection: { url: database.url }, log: createLog('test', 'silent') });
  try {
    const rows = createFixtures(db.kysely);
    const deviceNo = await rows.device(await rows.account(), []);
    const hour = Date.UTC(2027, 2, 14, 5) * 1000;
    await db.kysely
      .insertInto('job_cursors')
      .values([
        { name: 'checks dropped to', at_us: hour - 5 * 3_600_000_000 },
        { name: 'roll-up', at_us: hour + 3_600_000_000 },
      ])
      .execute();
    // A sum without a check is wrong.
    const counts = { checks: 3, errors: 3, inconclusive: 0, sum_ms: 0, min_ms: 0, max_ms: 0 };
    await db.kysely
      .insertInto('rollup_hourly')
      .values({ device_no: deviceNo, bucket_us: hour, location_no: 1, histogram: [], ...counts })
      .execute();
    const compare = (which: 'some' | 'all' | 'none') =>
      compareSums({ folder, settings: { VANTAGE_DATABASE_URL: database.url }, which, isRunning: false });
    expect(await compare('none')).toEqual([]);
    expect(await compare('all')).toMatchObject([
      { level: 'warning', text: expect.stringContaining('the sums of 05:00 UTC differed from their checks') },
    ]);
    expect(await db.kysely.selectFrom('rollup_hourly').select('checks').execute()).toEqual([]);
    expect(await compare('some')).toMatchObject([{ level: 'ok' }]);
    expect(await compareSums({ folder, settings: {}, which: 'all', isRunning: false })).toEqual([]);
  } finally {
    await db.close();
    rmSync(folder, { recursive: true });
  }
});
