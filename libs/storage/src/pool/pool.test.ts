import { createLog } from '@vantage/kernel';
import { propertyRuns } from '@vantage/kernel/testing';
import type { TestDatabase } from '@vantage/testing/database';
import { useDatabase } from '@vantage/testing/use-database';
import fc from 'fast-check';
import { CompiledQuery, Kysely, sql } from 'kysely';
import { expect, it, test } from 'vitest';
import type { Database } from '../db.ts';
import { CopyData } from '../rows/copy-in.ts';
import type { Tables } from '../schema/tables.ts';
import { startSilentLink } from '../testing/silent-link.ts';
import { pipelined } from '../transactions/pipelined.ts';
import { isTransientDbError } from './pg-error.ts';
import { openPool } from './pool.ts';

/** Shorter than the controller's, but a busy machine opens a connection within it. */
const limitMs = 1_000;
let db: Database;
let database: TestDatabase;
useDatabase(async (opened, made) => {
  db = opened;
  database = made;
  await sql`create table noted (no int)`.execute(db.kysely);
});

type Connection = Kysely<Tables>;

/** A pool over a link that can fall silent. */
async function openLinked(poolSize: number) {
  const link = await startSilentLink(database.url);
  const warnings: string[] = [];
  const log = { warn: (_: object, text: string) => void warnings.push(text) };
  const open = openPool({ url: link.url, log, poolSize, name: 'vantage pool test', limitMs });
  const kysely = new Kysely<Tables>({ dialect: open.dialect });
  return {
    link,
    open,
    kysely,
    warnings,
    async [Symbol.asyncDispose]() {
      open.cut();
      await kysely.destroy();
      await link[Symbol.asyncDispose]();
    },
  };
}

const pidOn = async (of: Connection) =>
  (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(of)).rows[0]?.pid;
const copy = (of: Connection, rows: string) =>
  of.executeQuery(CompiledQuery.raw('copy noted from stdin', [new CopyData(Buffer.from(rows))]));

/** The ways in which statements are sent. The rows of a COPY fill the buffers of both ends. */
const ways: readonly [string, (of: Connection) => Promise<unknown>][] = [
  ['one statement', (of) => sql`select 1`.execute(of)],
  ['a prepared statement', (of) => sql`select ${1}::int`.execute(of)],
  [
    'a transaction',
    (of) => of.transaction().execute(async (trx) => sql`insert into noted values (1)`.execute(trx)),
  ],
  [
    'pipelined statements',
    (of) =>
      of
        .transaction()
        .execute((trx) =>
          pipelined(trx, (many) => [1, 2, 3].map((no) => sql`select ${no}::int`.execute(many))),
        ),
  ],
  ['a COPY of 20 MB', (of) => copy(of, '1234567\n'.repeat(2_500_000))],
];

it.for(ways)('%s on a silent connection fails, and the next one gets a new connection', async ([, send]) => {
  await using linked = await openLinked(1);
  const { link, kysely, open } = linked;
  await send(kysely);
  const before = await pidOn(kysely);
  link.silence('pass');
  const error = await send(kysely).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Error);
  expect(isTransientDbError(error)).toBe(true);
  expect(await pidOn(kysely)).not.toBe(before);
  expect(open.pool.totalCount).toBe(1);
  // The error is its caller's to report.
  expect(linked.warnings).toEqual([]);
});

it('statements that the server still runs have their answers, however long they take', async () => {
  await using linked = await openLinked(1);
  const waits = await linked.kysely.transaction().execute(async (trx) => {
    await sql`set local statement_timeout = 0`.execute(trx);
    return pipelined(trx, (many) => [
      sql`select 'long', pg_sleep(${(2.5 * limitMs) / 1000}::float8)`.execute(many),
      ...[1, 2, 3].map(() => sql`select pg_sleep(${(0.6 * limitMs) / 1000}::float8)`.execute(many)),
    ]);
  });
  expect(waits).toHaveLength(4);
  expect(linked.open.opened).toBe(1);
});

it('a statement that waits for a lock has the answer of the server', async () => {
  await using linked = await openLinked(1);
  await db.kysely.connection().execute(async (holder) => {
    await sql`select pg_advisory_lock(47000)`.execute(holder);
    const waiting = sql`select pg_advisory_xact_lock(47000)`.execute(linked.kysely);
    await expect(waiting).rejects.toMatchObject({ code: expect.stringMatching(/55P03|57014/) });
    await sql`select pg_advisory_unlock(47000)`.execute(holder);
  });
  expect(linked.open.opened).toBe(1);
});

it('a connection that falls silent at its first statement gives its place back', async () => {
  await using linked = await openLinked(1);
  for (let round = 0; round < 3; round += 1) {
    linked.link.silenceAt('set_config');
    await expect(pidOn(linked.kysely)).rejects.toSatisfy(isTransientDbError);
  }
  expect(await pidOn(linked.kysely)).toBeTypeOf('number');
});

it('cutting breaks the chosen connections, also those that work, and says nothing of its own', async () => {
  await using linked = await openLinked(3);
  const { kysely, open } = linked;
  const running = [1, 2].map(() => sql`select pg_sleep(60)`.execute(kysely));
  await expect.poll(() => open.pool.totalCount - open.pool.idleCount, { timeout: 60_000 }).toBe(2);
  await expect.poll(() => sessions().length, { timeout: 60_000 }).toBe(2);
  function sessions() {
    const found: unknown[] = [];
    open.cut(({ session }) => {
      if (session !== undefined) found.push(session);
      return false;
    });
    return found;
  }
  const afterMs = performance.now();
  const pid = await pidOn(kysely);
  open.cut(({ openedMs }) => openedMs < afterMs);
  for (const one of running) await expect(one).rejects.toSatisfy(isTransientDbError);
  expect(await pidOn(kysely)).toBe(pid);
  open.cut();
  await expect.poll(() => open.pool.totalCount, { timeout: 60_000 }).toBe(0);
  expect(linked.warnings).toEqual([]);
});

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('send' as const), way: fc.nat(ways.length - 2) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('copy' as const), rows: fc.nat(2_000) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('turn' as const), turns: fc.nat(20) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('silence' as const),
      newcomers: fc.constantFrom('pass' as const, 'refused' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('heal' as const) }) },
);

test('property: at whatever moments the link falls silent, every caller has an answer, and no later one a dead connection', async () => {
  const log = createLog('pool test', 'silent');
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
      await using link = await startSilentLink(database.url);
      const open = openPool({ url: link.url, log, poolSize: 3, name: 'vantage pool test', limitMs: 300 });
      const kysely = new Kysely<Tables>({ dialect: open.dialect });
      const answers: Promise<unknown>[] = [];
      const send = (answer: Promise<unknown>) => {
        answer.catch(() => {});
        answers.push(answer);
      };
      let silent = 0;
      for (const one of steps) {
        if (one.kind === 'send') send((ways[one.way]?.[1] ?? pidOn)(kysely));
        else if (one.kind === 'copy') send(copy(kysely, '1\n'.repeat(one.rows)));
        else if (one.kind === 'heal') link.heal();
        else if (one.kind === 'silence') {
          silent += 1;
          link.silence(one.newcomers);
        } else for (let turn = 0; turn < one.turns; turn += 1) await new Promise(setImmediate);
      }
      const settled = await Promise.allSettled(answers);
      for (const one of settled)
        if (one.status === 'rejected') expect(isTransientDbError(one.reason)).toBe(true);
      if (silent === 0) expect(settled.filter(({ status }) => status === 'rejected')).toEqual([]);
      // Idle connections may still be silent: each caller that gets one ends it.
      link.heal();
      let failures = 0;
      while (
        failures <= 3 &&
        !(await pidOn(kysely).then(
          () => true,
          () => false,
        ))
      )
        failures += 1;
      expect(failures).toBeLessThanOrEqual(3);
      expect(open.pool.totalCount).toBeLessThanOrEqual(3);
      open.cut();
      await kysely.destroy();
    }),
    { numRuns: propertyRuns(5) },
  );
});
