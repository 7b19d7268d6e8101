import { minuteUs } from '@vantage/domain';
import { createLog } from '@vantage/kernel';
import { createPartitions } from '@vantage/storage';
import { createFixtures } from '@vantage/testing/fixtures';
import { goodCheck } from '@vantage/testing/good-check';
import { expect, test } from 'vitest';
import { createRestFixture } from '../../testing/rest-fixture.ts';
import { valueSeries } from './value-series.ts';

test('the last check with values is shown, none that is older than two hours or of another account', async () => {
  await using rest = await createRestFixture();
  const { db, clock } = rest;
  await createPartitions({ db, clock, log: createLog('values', 'silent'), retentionDays: 3 }).ensure();
  const rows = createFixtures(db.kysely);
  const nowUs = clock.nowUs();
  const add = async (
    accountNo: number,
    name: string,
    checks: readonly [ago: number, measured: (number | null)[] | null][],
  ) => {
    const deviceNo = await rows.device(accountNo, [], { short_name: name });
    const series = [
      { series_no: 1, label: 'in "a"', unit: 'bit/s' },
      { series_no: 2, label: 'out', unit: '' },
    ];
    await db.kysely
      .insertInto('value_series')
      .values(series.map((one) => ({ device_no: deviceNo, ...one })))
      .execute();
    for (const [ago, measured] of checks)
      await db.kysely
        .insertInto('checks')
        .values({ ...goodCheck(nowUs - ago * minuteUs, { device_no: deviceNo, measured }), extended: null })
        .execute();
  };
  const { accountNo } = await rest.account('mine');
  await add(accountNo, 'sw-1', [
    [3, [1, 2]],
    [2, [7.5, null]],
    [1, null],
  ]);
  await add(accountNo, 'sw-2', [[121, [1, 2]]]);
  await add((await rest.account('other')).accountNo, 'foreign', [[1, [1, 2]]]);
  const { text, isTruncated } = await valueSeries(db, { accountNo, nowUs });
  const lines = text.split('\n').filter((line) => line.startsWith('vantage_'));
  expect(lines).toEqual([
    expect.stringMatching(
      /^vantage_device_value\{device_id="\w+",short_name="sw-1",label="in \\"a\\"",unit="bit\/s"\} 7\.5$/,
    ),
  ]);
  expect(isTruncated).toBe(false);
  await add(accountNo, 'sw-3', [[1, [1, 2]]]);
  const cut = await valueSeries(db, { accountNo, nowUs, limit: 2 });
  expect([cut.isTruncated, cut.text.includes('sw-1'), cut.text.includes('sw-3')]).toEqual([
    true,
    true,
    false,
  ]);
});

test('without values nothing is added', async () => {
  await using rest = await createRestFixture();
  const { accountNo } = await rest.account('mine');
  expect(await valueSeries(rest.db, { accountNo, nowUs: rest.clock.nowUs() })).toEqual({
    text: '',
    isTruncated: false,
  });
});
