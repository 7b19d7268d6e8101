import { resultCode } from '@vantage/domain';
import { expect, test } from 'vitest';
import { Failure } from '../../contract/failure.ts';
import { type SnmpClient, SnmpError, type SnmpValue, type Varbind } from './snmp-client.ts';
import { newLimits, readObjects, readRows, readTable, type SnmpSource } from './snmp-tables.ts';

const integer = (value: number): SnmpValue => ({ type: 'integer', value });

/** A device whose answers are those of `bulk` and `get`. */
function sourceOf(client: Partial<SnmpClient>): SnmpSource {
  const usual: SnmpClient = {
    requests: 0,
    received: 0,
    hasBulk: true,
    get: () => Promise.reject(new Error('no get')),
    bulk: () => Promise.reject(new Error('no bulk')),
    [Symbol.dispose]() {},
  };
  // A getter stays one.
  const own = Object.defineProperties(usual, Object.getOwnPropertyDescriptors(client));
  return { client: own, peer: '192.0.2.2:161', limits: newLimits(0), monoMs: () => 0 };
}

/** The rows after each column, up to `last`. */
function rowsAfter(
  columns: readonly string[],
  repetitions: number,
  last: number,
): readonly (readonly Varbind[])[] {
  return columns.map((oid) => {
    const [column = '', after = '0'] = oid.split('#');
    const from = Number(after) + 1;
    return Array.from({ length: repetitions }, (_, at) =>
      from + at <= last
        ? { oid: `${column}#${from + at}`.replace('#', '.'), value: integer(from + at) }
        : { oid: '9.9', value: integer(0) },
    );
  });
}

const split = (oids: readonly string[]) =>
  oids.map((oid) => oid.replace(/^(1\.\d)\.?(\d*)$/, (_all, column, at) => `${column}#${at || 0}`));

test('a table is read to its end, however short the answers are', async () => {
  let asked = 0;
  const source = sourceOf({
    async bulk(scalars, columns, repetitions) {
      asked += 1;
      const lists = rowsAfter(split(columns), repetitions, 200);
      // Each answer has room for ten rows of the first column and nine of the others.
      return [...scalars.map(() => []), ...lists.map((list, at) => list.slice(0, at === 0 ? 10 : 9))];
    },
  });
  const rows = await readTable(source, ['1.1', '1.2', '1.3']);
  expect(rows.size).toBe(200);
  for (const [index, row] of rows)
    expect([...row.values()].map((cell) => cell.value?.value)).toEqual([index, index, index]);
  expect(asked).toBe(23);
});

test.each([
  [
    'goes backwards',
    [
      { oid: '1.1.5', value: integer(1) },
      { oid: '1.1.4', value: integer(1) },
    ],
    'its table goes backwards',
  ],
  ['has no rows', [], 'it has no rows'],
])('a table that %s is 3', async (_name, list, why) => {
  const source = sourceOf({ bulk: async (scalars) => [...scalars.map(() => []), list] });
  await expect(readTable(source, ['1.1'])).rejects.toMatchObject({
    code: resultCode.protocol,
    message: `192.0.2.2:161 sent a malformed answer: ${why}`,
  });
});

test('an endless table is 3', async () => {
  const source = sourceOf({
    bulk: async (scalars, columns, repetitions) => [
      ...scalars.map(() => []),
      ...rowsAfter(split(columns), repetitions, Number.POSITIVE_INFINITY),
    ],
  });
  await expect(readTable(source, ['1.1'])).rejects.toMatchObject({
    code: resultCode.protocol,
    message: '192.0.2.2:161 has a table of more than 10000 rows',
  });
});

test('a table of endless texts is 3', async () => {
  let received = 0;
  const source = sourceOf({
    get received() {
      return received;
    },
    async bulk(scalars, columns) {
      received += 60_000;
      const value: SnmpValue = { type: 'text', value: Buffer.alloc(60_000, 'x') };
      return [
        ...scalars.map(() => []),
        ...rowsAfter(split(columns), 1, 1e6).map((list) => list.map((each) => ({ ...each, value }))),
      ];
    },
  });
  await expect(readTable(source, ['1.1'])).rejects.toMatchObject({
    code: resultCode.protocol,
    message: '192.0.2.2:161 has a table of more than 4194304 bytes',
  });
});

test('a lost long answer lowers the limit; a lost short one ends the check', async () => {
  const long: number[] = [];
  const lost = new Failure(resultCode.timeout, 'no answer from 192.0.2.2:161');
  const source = sourceOf({
    async bulk(scalars, columns, repetitions, isLong) {
      if (isLong) {
        long.push(columns.length * repetitions);
        throw lost;
      }
      return [...scalars.map(() => []), ...rowsAfter(split(columns), repetitions, 70)];
    },
  });
  const indexes = Array.from({ length: 70 }, (_, at) => at + 1);
  expect((await readRows(source, ['1.1', '1.2'], indexes, 70)).size).toBe(70);
  expect(long).toHaveLength(1);
  expect(source.limits.maxObjects).toBe(60);
  const dead = sourceOf({ bulk: () => Promise.reject(lost) });
  await expect(readRows(dead, ['1.1', '1.2'], indexes, 70)).rejects.toBe(lost);
});

test('objects are halved where an answer is too big, and those that fail alone are left out', async () => {
  const sizes: number[] = [];
  const source = sourceOf({
    async get(oids) {
      sizes.push(oids.length);
      if (oids.length > 20) throw new SnmpError(1, 'TooBig');
      if (oids.includes('2.2.7')) throw new SnmpError(2, 'NoSuchName: 2.2.7');
      return oids.map(() => integer(1));
    },
  });
  const oids = Array.from({ length: 30 }, (_, at) => `2.2.${at}`);
  const cells = await readObjects(source, oids);
  expect(oids.filter((oid) => cells.get(oid)?.value === undefined)).toEqual(['2.2.7']);
  expect(sizes).toEqual([32, 17, 16, 17]);
  expect([...source.limits.absent]).toEqual(['2.2.7']);
});

test('another error of the device is 3 with its name', async () => {
  const source = sourceOf({ get: () => Promise.reject(new SnmpError(13, 'ResourceUnavailable')) });
  await expect(readObjects(source, ['2.2.1'])).rejects.toMatchObject({
    code: resultCode.protocol,
    message: '192.0.2.2:161 answers with the error ResourceUnavailable',
  });
});

test('rows far apart are read by their OIDs', async () => {
  const asked: string[] = [];
  const source = sourceOf({
    async get(oids) {
      asked.push(...oids);
      return oids.map(() => integer(1));
    },
  });
  const indexes = Array.from({ length: 40 }, (_, at) => at * 1_000 + 1);
  const rows = await readRows(source, ['1.1', '1.2'], indexes, 39_001);
  expect([...rows.keys()]).toEqual(indexes);
  expect(new Set(asked).size).toBe(82);
});

test('an answer that ends within a row costs no request for each of the last rows', async () => {
  const repetitions: number[] = [];
  const source = sourceOf({
    async bulk(scalars, columns, rows) {
      repetitions.push(rows);
      const lists = rowsAfter(split(columns), rows, 100);
      return [...scalars.map(() => []), ...lists.map((list, at) => list.slice(0, at === 0 ? 10 : 9))];
    },
  });
  const indexes = Array.from({ length: 40 }, (_, at) => at + 1);
  expect((await readRows(source, ['1.1', '1.2'], indexes, 40)).size).toBeGreaterThanOrEqual(40);
  expect(repetitions).toEqual([40, 31, 22, 13, 4]);
});
