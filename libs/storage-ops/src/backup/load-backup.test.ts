import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { propertyRuns } from '@vantage/kernel/testing';
import { baseline } from '@vantage/storage/baseline';
import { createTestDatabase, type TestDatabase } from '@vantage/testing/database';
import { withClient } from '@vantage/testing/postgres-url';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countRows } from '../sql/copy-text.ts';
import { compareBackup } from './compare-backup.ts';
import { loadBackup } from './load-backup.ts';
import { migrationsOf, verifyBackup } from './verify-backup.ts';
import { writeBackup } from './write-backup.ts';

/** With their names they are more than a megabyte, so the writer waits for the file in between. */
const cursors = 40_000;
let source: TestDatabase;
let folder: string;
let file: string;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'vantage-backup-'));
  file = path.join(folder, 'good');
  source = await createTestDatabase();
  await withClient(source.url, fill);
  const files = { 'secret.key': Buffer.from('a key') };
  const size = await writeBackup({ url: source.url, file, atUs: 7, files, onRows: () => {} });
  expect(size.rows).toBeGreaterThan(cursors);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await source[Symbol.asyncDispose]();
});

/** Rows of several types, two tables that refer to each other, a partition, more rows than a chunk has. */
async function fill(client: pg.Client): Promise<void> {
  await client.query(
    `insert into accounts (account_id, name, timezone) values ('a', E'tab\\tline\\nback\\\\slash', 'UTC')`,
  );
  await client.query(
    'create table checks_20260101 partition of check_rows for values from (1767225600000000) to (1767312000000000)',
  );
  await client.query(`insert into devices (device_id, account_no, method, url, sealed, short_name, frequency_min,
      timeout_s, retries, retry_delay_s, locations_given, changed_us, created_us, updated_us)
    select 'd', account_no, 'TCP', 'a.example:1', '', 'one', 1, 5, 1, 10, true, 1, 1, 1 from accounts`);
  await client.query(`insert into packed_devices select device_no, 1, 1, 'fine' from devices`);
  await client.query(
    `insert into job_cursors (name, at_us) select 'cursor of a backup ' || n, n from generate_series(1, ${cursors}) n`,
  );
}

/** Each table's rows as one digest. */
const digests = (url: string) =>
  withClient(url, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
         and not relispartition and relname not in ('migrations', 'last_backup') order by 1`,
    );
    const all: Record<string, unknown> = {};
    for (const { name } of tables)
      all[name] = (
        await client.query(
          `select count(*)::int as n, md5(coalesce(string_agg(t::text, ',' order by t::text), '')) as md5 from "${name}" t`,
        )
      ).rows[0];
    return all;
  });

test('a restored database has the same rows, and its sequences go on', async () => {
  const head = await verifyBackup(file);
  expect(head).toMatchObject({ atUs: 7, partitions: expect.arrayContaining(['checks_20260101']) });
  await using target = await createTestDatabase();
  await loadBackup({ url: target.url, file, head, onRows: () => {} });
  expect(await digests(target.url)).toEqual(await digests(source.url));
  const next = (url: string) =>
    withClient(
      url,
      async (client) =>
        (
          await client.query(
            `insert into accounts (account_id, name, timezone) values ('b', 'b', 'UTC') returning account_no`,
          )
        ).rows,
    );
  expect(await next(target.url)).toEqual(await next(source.url));
  await expect(loadBackup({ url: target.url, file, head, onRows: () => {} })).rejects.toMatchObject({
    code: 'not_empty',
  });
});

test('a restore that is cut at any table leaves the database as it was', async () => {
  const head = await verifyBackup(file);
  await using target = await createTestDatabase();
  const before = await digests(target.url);
  const limits = [0, 1, cursors / 2];
  for (const limit of limits) {
    const onRows = (rows: number) => {
      if (rows > limit) throw new Error('killed');
    };
    await expect(loadBackup({ url: target.url, file, head, onRows })).rejects.toThrow('killed');
    expect(await digests(target.url)).toEqual(before);
  }
});

test('a backup that is cut off or damaged anywhere is refused by name', async () => {
  const whole = readFileSync(file);
  const bad = path.join(folder, 'bad');
  const refused = async (bytes: Buffer) => {
    writeFileSync(bad, bytes);
    await expect(verifyBackup(bad)).rejects.toMatchObject({
      code: 'bad_backup',
      message: expect.stringContaining(bad),
    });
  };
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length - 1), fc.boolean(), async (at, isCut) => {
      const bytes = Buffer.from(isCut ? whole.subarray(0, at) : whole);
      if (!isCut) bytes.writeUInt8(bytes.readUInt8(at) ^ 0x55, at);
      // The first bytes of gzip that mean nothing (time, flags, system) may differ.
      if (!isCut && at >= 3 && at < 10) return;
      await refused(bytes);
    }),
    { numRuns: propertyRuns(15) },
  );
  const plain = gunzipSync(whole);
  for (const at of [0, 20, Math.floor(plain.length / 2), plain.length - 1]) {
    const bytes = Buffer.from(plain);
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    await refused(gzipSync(bytes, { level: 1 }));
  }
  await refused(gzipSync(Buffer.concat([plain, Buffer.from('x')])));
  await refused(Buffer.from('no backup'));
});

test('a backup that cannot be written leaves no file', async () => {
  const refused = path.join(folder, 'no such folder', 'file');
  await expect(
    writeBackup({ url: source.url, file: refused, atUs: 1, files: {}, onRows: () => {} }),
  ).rejects.toThrow('ENOENT');
  const onRows = () => {
    throw new Error('killed');
  };
  const cut = path.join(folder, 'cut');
  await expect(writeBackup({ url: source.url, file: cut, atUs: 1, files: {}, onRows })).rejects.toThrow(
    'killed',
  );
  expect(readdirSync(folder).filter((name) => name.startsWith('cut'))).toEqual([]);
});

test('an encrypted backup is opened by its passphrase or identity only, and refused when a byte of it changed', async () => {
  const identity = await generateX25519Identity();
  const sealed = path.join(folder, 'sealed');
  const locks = [
    [{ passphrase: 'four words are enough', workFactor: 10 }, { passphrase: 'four words are enough' }],
    [{ recipients: [await identityToRecipient(identity)] }, { identities: [identity] }],
  ] as const;
  for (const [lock, key] of locks) {
    await writeBackup({ url: source.url, file: sealed, atUs: 8, files: {}, lock, onRows: () => {} });
    expect(await verifyBackup(sealed, key)).toMatchObject({ atUs: 8 });
    const bytes = readFileSync(sealed);
    expect(bytes.includes('vantage-backup')).toBe(false);
    await expect(verifyBackup(sealed)).rejects.toMatchObject({ code: 'encrypted' });
    for (const other of [{ passphrase: 'another' }, { identities: [await generateX25519Identity()] }])
      await expect(verifyBackup(sealed, other)).rejects.toMatchObject({ code: 'wrong_key' });
    bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1);
    writeFileSync(sealed, bytes);
    await expect(verifyBackup(sealed, key)).rejects.toMatchObject({ code: 'bad_backup' });
  }
  const lock = { recipients: ['age1nobody'] };
  await expect(
    writeBackup({ url: source.url, file: sealed, atUs: 1, files: {}, lock, onRows: () => {} }),
  ).rejects.toMatchObject({ code: 'bad_recipient' });
});

test.each([{ passphrase: 'four words are enough' }, { identities: ['AGE-SECRET-KEY-1…'] }])(
  'with %o a file that nobody encrypted is refused: it may be another one in the place of the backup',
  async (key) => {
    await expect(verifyBackup(file, key)).rejects.toMatchObject({
      code: 'not_encrypted',
      message: expect.stringContaining(`${file} is not encrypted`),
    });
  },
);

test('a database that was restored equals its backup, and one row that differs is noticed', async () => {
  await using target = await createTestDatabase();
  const head = await verifyBackup(file);
  await loadBackup({ url: target.url, file, head, onRows: () => {} });
  await compareBackup({ url: target.url, file, head });
  await withClient(target.url, (client) =>
    client.query(`update job_cursors set at_us = at_us + 1 where name = 'cursor of a backup 4711'`),
  );
  await expect(compareBackup({ url: target.url, file, head })).rejects.toMatchObject({
    code: 'restore_differs',
    message: expect.stringContaining('job_cursors'),
  });
});

/** VANTAGE_TEST_CHECKS=5000000 tries more, and prints the time and the memory. */
const mixedChecks = Number(process.env['VANTAGE_TEST_CHECKS'] ?? 20_000);

test('a backup of checks of all sizes, made while more are stored, is verified', {
  timeout: 60_000 + mixedChecks,
}, async () => {
  await using busy = await createTestDatabase();
  await withClient(busy.url, fill);
  await withClient(busy.url, async (client) => {
    // Texts of times depend on settings, which each role and server may have for itself.
    for (const setting of [
      `timezone = 'Asia/Kathmandu'`,
      `datestyle = 'SQL, DMY'`,
      'extra_float_digits = -3',
    ])
      await client.query(
        `do $$ begin execute format('alter role current_user in database %I set ', current_database()) || $set$${setting}$set$; end $$`,
      );
    await client.query(
      'create table checks_20260102 partition of check_rows for values from (1767312000000000) to (1767398400000000)',
    );
    await fillChecks(client, 0, mixedChecks);
    // The history of deleted devices. Restored rows lie closer, and PostgreSQL puts them into another order.
    await client.query('delete from check_rows where device_no % 10 = 3');
  });
  const backup = path.join(folder, 'busy');
  const ending = new AbortController();
  await using stack = new AsyncDisposableStack();
  const load = withClient(busy.url, async (client) => {
    for (let from = mixedChecks; !ending.signal.aborted; from += 500) await fillChecks(client, from, 500);
  });
  stack.defer(async () => {
    ending.abort();
    await load;
  });
  const startedMs = performance.now();
  const size = await writeBackup({ url: busy.url, file: backup, atUs: 9, files: {}, onRows: () => {} });
  expect(size.rows).toBeGreaterThan(mixedChecks * 0.89);
  const head = await verifyBackup(backup);
  await using target = await createTestDatabase();
  await loadBackup({ url: target.url, file: backup, head, onRows: () => {} });
  await compareBackup({ url: target.url, file: backup, head });
  if (process.env['VANTAGE_TEST_CHECKS'] !== undefined)
    process.stdout.write(
      `${size.rows} rows: ${Math.round((performance.now() - startedMs) / 1000)} s, this process at most ${Math.round(process.resourceUsage().maxRSS / 1024)} MiB\n`,
    );
});

/** Checks of 300 devices: good ones of few bytes, and failed ones with diagnostics of up to 12 kB, on two days. */
async function fillChecks(client: pg.Client, from: number, count: number): Promise<void> {
  await client.query(
    `insert into check_rows (device_no, start_us, agent_no, code, ttfb_ms, check_result, extended)
     select n % 300, 1767225600000000 + (n % 172800) * 1000000::bigint, 1 + n / 172800, 1, n / 7.0,
       case when n % 5 = 0 then (select string_agg(md5(n::text || i), '') from generate_series(1, n % 61) i) end,
       case when n % 17 = 0 then jsonb_build_object('trace', repeat(md5(n::text), (n % 397)::int)) end
     from generate_series($1::bigint, $1::bigint + $2::bigint - 1) n`,
    [from, count],
  );
}

test.each([
  ['the same migrations', ['a', 'b', 'c'], 3],
  ['the first migrations', ['a', 'b'], 2],
  ['a newer migration', ['a', 'b', 'c', 'd'], undefined],
  ['another migration', ['a', 'x'], undefined],
])('a backup with %s', (_what, migrations, count) => {
  const head = { atUs: 1, migrations, partitions: [], sequences: {}, texts: 'same' as const, files: {} };
  const found = () => migrationsOf(head, ['a', 'b', 'c']);
  if (count === undefined) expect(found).toThrow('newer or another version');
  else expect(found()).toBe(count);
});

test('a backup of a database that the migrations before the baseline made has the tables of the baseline', () => {
  const earlier = Array.from({ length: 42 }, (_, at) => `${String(at + 1).padStart(4, '0')}-earlier`);
  const head = { atUs: 1, partitions: [], sequences: {}, texts: 'same' as const, files: {} };
  const known = [baseline, '0048-later', '0050-last'];
  const made = (migrations: readonly string[]) =>
    migrationsOf({ ...head, migrations: [...migrations] }, known);
  expect(made([...earlier, '0048-later'])).toBe(2);
  expect(made([...earlier, baseline, '0048-later', '0050-last'])).toBe(3);
  expect(() => made(earlier.slice(1))).toThrow('before 0.2.0');
});

test('rows of the text format are counted by their line breaks', () => {
  expect(countRows(Buffer.from('a\\nb\tc\nd\n'))).toBe(2);
});
