import { systemClock } from '@vantage/kernel';
import { expect, test } from 'vitest';
import { maxSeries } from './number-series.ts';
import { batchOf, minuteUs, result, useIngestFixture } from './testing/ingest-fixture.ts';

const bench = useIngestFixture();
const value = (label: string, number: number, unit = '') => ({ label, value: number, unit });
const startUs = systemClock.nowUs() - 30 * minuteUs;

async function take(
  ingest: ReturnType<typeof bench.ingestWith>,
  minute: number,
  values: ReturnType<typeof value>[],
) {
  const record = result(bench.deviceNos[0] ?? 0, startUs + minute * minuteUs, { values });
  return ingest.accept(bench.sender, batchOf(record));
}

const measured = async () => (await bench.stored()).map((row) => row.measured);
const series = () =>
  bench.db.kysely
    .selectFrom('value_series')
    .select(['series_no', 'label', 'unit'])
    .where('device_no', 'in', bench.deviceNos)
    .orderBy('series_no')
    .execute();

test('a label keeps its number, whatever the order of the values, and a new unit is a new series', async () => {
  const ingest = bench.ingestWith();
  await take(ingest, 0, [value('in', 1.5, 'bit/s'), value('out', 2, 'bit/s')]);
  await take(ingest, 1, [value('out', 20, 'bit/s')]);
  await take(ingest, 2, [value('out', 30, 'B/s'), value('in', -0.25, 'bit/s')]);
  await take(ingest, 3, []);
  expect(await measured()).toEqual([[1.5, 2], [null, 20], [-0.25, null, 30], null]);
  expect(await series()).toEqual([
    { series_no: 1, label: 'in', unit: 'bit/s' },
    { series_no: 2, label: 'out', unit: 'bit/s' },
    { series_no: 3, label: 'out', unit: 'B/s' },
  ]);
});

test('another controller, and one that knows older labels only, give the same numbers', async () => {
  const [one, other] = [bench.ingestWith(), bench.ingestWith()];
  await take(one, 0, [value('a', 1)]);
  await take(one, 1, [value('a', 2)]);
  await take(other, 2, [value('b', 3), value('a', 4)]);
  await take(one, 3, [value('b', 5), value('c', 6)]);
  expect(await measured()).toEqual([[1], [2], [4, 3], [null, 5, 6]]);
});

test('a transaction that fails leaves no number in memory', async () => {
  const failing = bench.ingestWith(async () => {
    throw new Error('the fold refuses it');
  });
  await take(failing, 0, [value('lost', 1)]);
  expect(await series()).toEqual([]);
  await take(failing, 1, [value('lost', 1)]);
  await take(bench.ingestWith(), 2, [value('kept', 1)]);
  expect(await series()).toMatchObject([{ series_no: 1, label: 'kept' }]);
});

test('a repeated result changes nothing', async () => {
  const ingest = bench.ingestWith();
  await take(ingest, 0, [value('a', 1)]);
  expect(await take(ingest, 0, [value('a', 9)])).toMatchObject({ inserted: 0, repeated: 1 });
  expect(await measured()).toEqual([[1]]);
});

test(`a device has ${maxSeries} series; values of further labels are dropped, the check is stored`, async () => {
  const ingest = bench.ingestWith();
  const labels = (from: number) => Array.from({ length: 200 }, (_, i) => value(`v${from + i}`, i));
  for (let part = 0; part < 5; part += 1) await take(ingest, part, labels(200 * part));
  await take(ingest, 5, [value('one more', 7), value('v999', 8)]);
  await take(ingest, 6, [value('one more', 7)]);
  const rows = (await measured()).slice(5);
  expect(rows).toEqual([[...Array.from({ length: 999 }, () => null), 8], null]);
  expect(await series()).toHaveLength(maxSeries);
});

test.each([
  ['more than 200', Array.from({ length: 201 }, (_, i) => value(`v${i}`, i)), 'at most 200 values'],
  ['a label twice', [value('a', 1), value('a', 2)], 'the same label'],
  ['no number', [value('a', Number.NaN)], 'finite'],
  ['a label of two lines', [value('a\nb', 1)], 'one line'],
  ['a NUL', [value('a\0', 1)], 'one line'],
])('a result with %s goes to the quarantine', async (_, values, reason) => {
  expect(await take(bench.ingestWith(), 0, values)).toMatchObject({ inserted: 0, quarantined: 1 });
  expect((await bench.quarantined())[0]?.reason).toContain(reason);
});
