import { execFileSync } from 'node:child_process';
import { systemClock as clock, createLog } from '@vantage/kernel';
import { createDb } from '@vantage/storage';
import { stateOf } from '@vantage/storage/pg-error';
import { createTestDatabase, type TestDatabase } from '@vantage/testing/database';
import { createFixtures } from '@vantage/testing/fixtures';
import { withClient } from '@vantage/testing/postgres-url';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readReferences, readTables } from './copied-tables.ts';
import { type CopyDeps, copyDatabase } from './copy-database.ts';
import { readMove } from './database-moves.ts';

const log = createLog('copy test', 'silent');
const checks = 2_000;
/** So many more are copied beside writers, in several messages. */
const moreChecks = 18_000;
const dayUs = Date.UTC(2026, 0, 1) * 1000;
let source: TestDatabase;
let target: TestDatabase;
let deviceNos: readonly number[];

beforeEach(async () => {
  [source, target] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  deviceNos = await fill(source.url);
});
afterEach(async () => {
  await Promise.all([source, target].map((database) => database[Symbol.asyncDispose]()));
});

/** Three devices with their checks, in two partitions. */
async function fill(url: string): Promise<readonly number[]> {
  const db = await createDb({ connection: { url }, log });
  const rows = createFixtures(db.kysely);
  const accountNo = await rows.account();
  const nos = [
    await rows.device(accountNo, []),
    await rows.device(accountNo, []),
    await rows.device(accountNo, []),
  ];
  await db.close();
  await withClient(url, async (client) => {
    for (const day of [0, 1])
      await client.query(
        `create table checks_2026010${day + 1} partition of check_rows for values from (${dayUs + day * 86_400e6}) to (${dayUs + (day + 1) * 86_400e6})`,
      );
    await addChecks(client, nos, { count: checks, everyUs: 50_000_000 });
  });
  return nos;
}

/** Adds checks of these devices, one at a time, from a moment of the first day on. */
async function addChecks(
  client: pg.Client,
  nos: readonly number[],
  {
    count,
    everyUs,
    offsetUs = 0,
  }: { readonly count: number; readonly everyUs: number; readonly offsetUs?: number },
): Promise<void> {
  await client.query(
    `insert into check_rows (device_no, start_us, agent_no, code, check_result)
     select (array[${nos.join(', ')}])[1 + n % 3], ${dayUs + offsetUs} + n * ${everyUs}::bigint, 1, 1, E'tab\\tand \\\\ ' || n
     from generate_series(1, ${count}) n`,
  );
}

/** Writes as controllers do, until the source refuses it; returns the checks whose commit was acknowledged. */
async function writeUntilMoved(
  url: string,
  ending: AbortSignal,
): Promise<{ committed: number[]; refused: string }> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  const committed: number[] = [];
  let refused = '';
  for (let n = 1; refused === '' && !ending.aborted; n += 1) {
    const us = dayUs + 86_400e6 + n * 1000;
    const [one, other] = [deviceNos[n % 3], deviceNos[(n + 1) % 3]];
    try {
      await client.query('begin');
      await client.query(
        'insert into check_rows (device_no, start_us, agent_no, code) values ($1, $2, 2, 1)',
        [one, us],
      );
      await client.query(`update devices set short_name = 'name ' || $2 where device_no = $1`, [one, n]);
      await client.query('delete from check_rows where device_no = $1 and start_us = $2', [other, us - 7000]);
      await client.query(
        'insert into job_cursors (name, at_us) values ($1, $2) on conflict (name) do update set at_us = $2',
        [`cursor ${n % 50}`, n],
      );
      await client.query('commit');
      committed.push(n);
    } catch (error) {
      await client.query('rollback');
      if (stateOf(error) !== '40P01') refused = stateOf(error);
    }
  }
  await client.end();
  return { committed, refused };
}

/** Each table as its number of rows and a digest. */
const digests = (url: string) =>
  withClient(url, async (client) => {
    const all: Record<string, unknown> = {};
    for (const { name, columns } of await readTables(client)) {
      const list = columns.map((column) => `"${column}"`).join(', ');
      const { rows } = await client.query(
        `select count(*)::int as n, md5(coalesce(string_agg(t::text, ',' order by t::text), '')) as md5 from (select ${list} from "${name}") t`,
      );
      all[name] = rows[0];
    }
    return all;
  });
const moveOf = (url: string) => withClient(url, readMove);
const noted = (url: string) =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ triggers: number; changes: number }>(
      `select (select count(*)::int from pg_trigger where tgname like 'copy_note%') as triggers, (select count(*)::int from copy_changes) as changes`,
    );
    return rows[0];
  });

const copy = (more: Partial<CopyDeps> = {}) =>
  copyDatabase({
    from: { url: source.url, name: 'source' },
    to: { url: target.url, name: 'target' },
    sealed: Buffer.from('sealed'),
    makeTables: () => Promise.reject(new Error('the tables are there')),
    clock,
    say: () => {},
    onRows: () => {},
    ...more,
  });

test('a database in use is copied: every write that was acknowledged is in the copy, and the source takes no more', async () => {
  const more = { count: moreChecks, everyUs: 5_000_000, offsetUs: 1 };
  await withClient(source.url, (client) => addChecks(client, deviceNos, more));
  const ending = new AbortController();
  const writers = [writeUntilMoved(source.url, ending.signal), writeUntilMoved(source.url, ending.signal)];
  const report = await copy().finally(() => setTimeout(() => ending.abort(), 5_000).unref());
  const [one, other] = await Promise.all(writers);
  expect([one?.refused, other?.refused]).toEqual(['57V01', '57V01']);
  expect(one?.committed.length).toBeGreaterThan(10);
  expect(report).toMatchObject({ tables: expect.any(Number), rows: expect.any(Number) });
  expect(report.rows).toBeGreaterThan(checks + moreChecks);
  expect(await digests(target.url)).toEqual(await digests(source.url));
  expect(await moveOf(source.url)).toMatchObject({ state: 'moved', target: 'target' });
  expect(await moveOf(target.url)).toMatchObject({ state: 'arrived' });
  // The copy is whole: references, triggers, numbers and new partitions go on as in the source.
  const references = (url: string) => withClient(url, readReferences);
  expect(await references(target.url)).toEqual(await references(source.url));
  await withClient(target.url, async (client) => {
    const { rows } = await client.query(
      `select count(*)::int as n from pg_constraint where contype = 'f' and not convalidated`,
    );
    expect(rows).toEqual([{ n: 0 }]);
    const marks = async () => (await client.query('select from device_marks')).rowCount ?? 0;
    const before = await marks();
    await client.query(`update devices set short_name = 'written in the copy' where device_no = $1`, [
      deviceNos[0],
    ]);
    expect(await marks()).toBeGreaterThan(before);
    await expect(
      client.query('insert into device_tags (device_no, tag_no) values (99, 99)'),
    ).rejects.toMatchObject({ code: '23503' });
  });
});

test('a copy that is killed at any of its steps leaves the source in use, and is repeated by the same call', {
  timeout: 300_000,
}, async () => {
  const steps: string[] = [];
  await expect(
    copy({
      say: (text) => {
        steps.push(text.replace(/\d.*/, ''));
        if (text.includes('complete and compared')) throw new Error('killed');
      },
    }),
  ).rejects.toThrow('killed');
  expect(steps.length).toBeGreaterThan(4);
  for (const step of new Set(['copying', ...steps])) {
    const before = await digests(source.url);
    const killAt = (text: string) => {
      if (text.replace(/\d.*/, '') === step) throw new Error('killed');
    };
    await expect(copy({ say: killAt, onRows: () => killAt('copying') })).rejects.toThrow('killed');
    // The source is whole and takes writes; no controller takes the copy for a whole one.
    expect(await digests(source.url)).toEqual(before);
    expect((await moveOf(source.url))?.state).not.toBe('moved');
    await withClient(source.url, (client) => client.query(`insert into job_cursors values ($1, 1)`, [step]));
    expect(['unfinished', 'prepared']).toContain((await moveOf(target.url))?.state);
  }
  await copy();
  expect(await digests(target.url)).toEqual(await digests(source.url));
  const again = await copy();
  expect(again).toMatchObject({ rows: 0 });
});

test('a copy whose source was given up just before the kill is only finished', async () => {
  await copy();
  await withClient(target.url, (client) => client.query(`update database_moves set state = 'prepared'`));
  expect(await copy()).toMatchObject({ rows: 0 });
  expect(await moveOf(target.url)).toMatchObject({ state: 'arrived' });
});

test('a copy that fails takes its triggers away, and one whose process is gone notes nothing more', async () => {
  const fail = () => {
    throw new Error('failed');
  };
  await expect(copy({ onRows: fail })).rejects.toThrow('failed');
  expect(await noted(source.url)).toEqual({ triggers: 0, changes: 0 });
  // As kill -9 leaves it: the triggers are there, and nobody holds the lock.
  const held = Promise.withResolvers<void>();
  const isCut = expect(copy({ onRows: () => held.resolve() })).rejects.toThrow();
  await held.promise;
  await withClient(source.url, (client) =>
    client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'vantage database copy' and datname = current_database()`,
    ),
  );
  await isCut;
  const left = await noted(source.url);
  expect(left?.triggers).toBeGreaterThan(100);
  await withClient(source.url, (client) => client.query('update devices set short_name = short_name'));
  expect(await noted(source.url)).toEqual(left);
});

test('one row that differs is noticed, and the source stays in use', async () => {
  // Another process changes the row, and this one stands still until it is done.
  const program = `import pg from 'pg';
    const client = new pg.Client({ connectionString: ${JSON.stringify(target.url)} });
    await client.connect();
    await client.query('update check_rows set code = 9 where start_us = ${dayUs + 50_000_000}');
    await client.end();`;
  const say = (text: string) => {
    // All rows are compared in the second round.
    if (text.startsWith('round 1'))
      execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd: import.meta.dirname });
  };
  await expect(copy({ say })).rejects.toMatchObject({
    code: 'copy_differs',
    message: expect.stringContaining('check_rows'),
  });
  expect((await moveOf(source.url))?.state).not.toBe('moved');
});

test('two copies at once, and a copy of a database to itself, are refused', async () => {
  const itself = { url: source.url, name: 'the same' };
  await expect(copy({ to: itself })).rejects.toMatchObject({ code: 'copy_running' });
});
