import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { kumaBackupOf } from './kuma-database.ts';
import { openSqlite, type ReadPart } from './sqlite-file.ts';
import { columnsOf, readVarint } from './sqlite-record.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'vantage-sqlite-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
/** A database that SQLite itself wrote, as the browser reads it: parts by offset and length. */
function written(build: (database: DatabaseSync) => void): {
  readonly bytes: Uint8Array;
  readonly read: ReadPart;
} {
  files += 1;
  const file = path.join(folder, `${files}.db`);
  const database = new DatabaseSync(file);
  build(database);
  database.close();
  const bytes = new Uint8Array(readFileSync(file));
  return { bytes, read: partsOf(bytes) };
}
const partsOf =
  (bytes: Uint8Array): ReadPart =>
  async (offset, length) =>
    bytes.slice(offset, offset + length);

const value = fc.oneof(
  fc.constant(null),
  fc.integer({ min: -(2 ** 47), max: 2 ** 47 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((each) => (each === 0 ? 0 : each)),
  fc.string({ unit: 'grapheme', maxLength: 40 }).filter((text) => !text.includes('\0')),
  fc.integer({ min: 1, max: 9_000 }).map((length) => 'long '.repeat(length).slice(0, length)),
);

test('rows are read as SQLite wrote them: integers, floats, texts, long texts on other pages, many pages', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(value, value), { maxLength: 60 }),
      fc.constantFrom(512, 4_096, 65_536),
      fc.constantFrom('UTF-8', 'UTF-16le'),
      async (rows, pageSize, encoding) => {
        const { read } = written((database) => {
          database.exec(`PRAGMA page_size = ${pageSize}; PRAGMA encoding = '${encoding}'`);
          database.exec('CREATE TABLE other (a); CREATE TABLE t (id INTEGER PRIMARY KEY, "a" BLOB, b BLOB)');
          const insert = database.prepare('INSERT INTO t (a, b) VALUES (?, ?)');
          for (const [a, b] of rows) insert.run(a, b);
        });
        const found = await (await openSqlite(read)).rows('t');
        expect(found).toEqual(rows.map(([a, b], at) => ({ id: at + 1, a, b })));
      },
    ),
    { numRuns: 40 },
  );
});

test('rows from before a column was added have its default', async () => {
  const { read } = written((database) => {
    database.exec(`CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, name VARCHAR(150), CHECK (id > 0));
      INSERT INTO t (name) VALUES ('old');
      ALTER TABLE t ADD COLUMN codes TEXT NOT NULL DEFAULT '["200-299"]';
      ALTER TABLE t ADD retries INTEGER NOT NULL DEFAULT 3;
      ALTER TABLE t ADD COLUMN note TEXT DEFAULT (null);
      INSERT INTO t (name, retries) VALUES ('new', 5)`);
  });
  expect(await (await openSqlite(read)).rows('t')).toEqual([
    { id: 1, name: 'old', codes: '["200-299"]', retries: 3, note: null },
    { id: 2, name: 'new', codes: '["200-299"]', retries: 5, note: null },
  ]);
});

test('a damaged database ends with a reason, whatever bytes it has, and never without end', async () => {
  const { bytes } = written((database) => {
    database.exec('PRAGMA page_size = 512; CREATE TABLE monitor (id INTEGER PRIMARY KEY, name TEXT)');
    for (let at = 0; at < 60; at += 1)
      database.prepare('INSERT INTO monitor (name) VALUES (?)').run('x'.repeat(at * 20));
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 20 }),
      fc.nat(bytes.length),
      async (changes, end) => {
        const broken = bytes.slice(0, end > 0 && end % 3 === 0 ? end : bytes.length);
        for (const [at, byte] of changes) broken[at % broken.length] = byte;
        const read = async () => (await openSqlite(partsOf(broken))).rows('monitor');
        await read().catch((error: unknown) => expect(error).toBeInstanceOf(RangeError));
      },
    ),
    { numRuns: 300 },
  );
});

test('only the pages of a table are read, however large the others are', async () => {
  const { bytes, read } = written((database) => {
    database.exec(
      'CREATE TABLE heartbeat (msg TEXT); CREATE TABLE monitor (id INTEGER PRIMARY KEY, name TEXT)',
    );
    const insert = database.prepare('INSERT INTO heartbeat (msg) VALUES (?)');
    for (let at = 0; at < 2_000; at += 1) insert.run('y'.repeat(500));
    database.exec("INSERT INTO monitor (name) VALUES ('shop')");
  });
  let sum = 0;
  const counted: ReadPart = async (offset, length) => {
    sum += length;
    return read(offset, length);
  };
  expect(await (await openSqlite(counted)).rows('monitor')).toEqual([{ id: 1, name: 'shop' }]);
  expect(bytes.length).toBeGreaterThan(1_000_000);
  expect(sum).toBeLessThan(20_000);
});

test('a database of Uptime Kuma becomes its backup, with tags and proxies and without secrets of notifications', async () => {
  const { read } = written((database) => {
    database.exec(`CREATE TABLE monitor (id INTEGER PRIMARY KEY, name TEXT, type TEXT, url TEXT, user_id INTEGER, proxy_id INTEGER);
      CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE monitor_tag (monitor_id INTEGER, tag_id INTEGER, value TEXT);
      CREATE TABLE proxy (id INTEGER PRIMARY KEY, host TEXT); CREATE TABLE notification (id INTEGER PRIMARY KEY, config TEXT);
      INSERT INTO monitor VALUES (4, 'Shop', 'http', 'https://shop.example/', 1, 2);
      INSERT INTO tag VALUES (1, 'web'); INSERT INTO monitor_tag VALUES (4, 1, 'eu');
      INSERT INTO proxy VALUES (2, 'proxy.example'); INSERT INTO notification VALUES (1, 'correct horse')`);
  });
  const text = await kumaBackupOf(await openSqlite(read));
  expect(JSON.parse(text)).toEqual({
    monitorList: [
      {
        id: 4,
        name: 'Shop',
        type: 'http',
        url: 'https://shop.example/',
        proxy_id: 2,
        tags: [{ name: 'web', value: 'eu' }],
      },
    ],
    proxyList: [{ id: 2, host: 'proxy.example' }],
    notificationList: [{ id: 1 }],
  });
});

test('another database, and another file, are refused', async () => {
  const { read } = written((database) => database.exec('CREATE TABLE t (a)'));
  await expect(openSqlite(read).then(kumaBackupOf)).rejects.toThrow('no table monitor');
  await expect(openSqlite(partsOf(new Uint8Array(200)))).rejects.toThrow('no SQLite database');
});

test.each([
  [
    'CREATE TABLE "t" ("id" INTEGER PRIMARY KEY, a varchar(3) DEFAULT \'a,b\' NOT NULL, UNIQUE (a, id))',
    ['id', 'a'],
  ],
  ['CREATE TABLE t([x] int, `y` boolean default 1, foreign key(x) references o(id))', ['x', 'y']],
])('the columns of %s', (statement, names) => {
  expect(columnsOf(statement).map(({ name }) => name)).toEqual(names);
});

test('a varint has seven bits in each byte, the first ones first', () => {
  expect(readVarint(new Uint8Array([0x7f]), 0)).toEqual([127, 1]);
  expect(readVarint(new Uint8Array([0x81, 0x00]), 0)).toEqual([128, 2]);
});
