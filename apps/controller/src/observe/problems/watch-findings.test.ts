import { randomBytes } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLog } from '@vantage/kernel';
import { createFakeClock, type FakeClock } from '@vantage/kernel/testing';
import type { Db } from '@vantage/storage';
import { examineKeyFile } from '@vantage/storage/secrets/open-sealer';
import { createFixtures } from '@vantage/testing/fixtures';
import { useDatabase } from '@vantage/testing/use-database';
import { sql } from 'kysely';
import { beforeEach, expect, test, vi } from 'vitest';
import { readJobs } from '../metrics/job-store.ts';
import { createFindings, type InstallationFindings } from './watch-findings.ts';

let db: Db;
useDatabase((opened) => {
  db = opened;
});

const soon = { timeout: 60_000, interval: 20 };

let folder: string;
let key: string;
let clock: FakeClock;
let clockProblem: { readonly reason: string; readonly accountNos: readonly number[] } | undefined;
let diskProblem: string | undefined;
let lines: { readonly level: number; readonly msg: string }[];
let findings: InstallationFindings;
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'vantage-findings-'));
  key = path.join(folder, 'secret.key');
  writeFileSync(key, randomBytes(32).toString('base64'));
  clock = createFakeClock(Date.now() * 1000);
  [clockProblem, diskProblem, lines] = [undefined, undefined, []];
  for (const table of ['installation_problems', 'last_backup', 'contact_health', 'notifications'] as const)
    await db.kysely.deleteFrom(table).execute();
  findings = createFindings({
    kysely: db.kysely,
    controllerId: 'this',
    clock,
    log: createLog('test', 'info', { write: (line) => void lines.push(JSON.parse(line)) }),
    readJobs: () => readJobs(db, clock.nowUs()),
    keyFile: () => examineKeyFile({ kysely: db.kysely, file: key }),
    controllerFacts: () => ({
      clocks: { problem: clockProblem?.reason, alarm: clockProblem },
      disk: { problem: diskProblem },
      certificates: { problem: undefined, apiEndUs: 0, refusedSinceUs: undefined },
      continuity: { wentBack: undefined },
      isMoved: false,
      backupMaxDays: 2,
    }),
  });
  return () => rmSync(folder, { recursive: true });
});

/** The findings as the controller tells them, once they are these. */
const becomes = (...ids: readonly string[]) =>
  vi.waitFor(async () => {
    await clock.advance(15_000);
    expect((await findings.read()).map(({ id }) => id)).toEqual(ids);
  }, soon);
const backup = (daysAgo: number) =>
  sql`insert into last_backup (at_us) values ((extract(epoch from now() - ${daysAgo} * interval '1 day') * 1e6)::bigint)
    on conflict (single) do update set at_us = excluded.at_us`.execute(db.kysely);

test('a controller stores the problems that it sees, until it sees them no more or ends', async () => {
  const ending = new AbortController();
  await sql`insert into installation_problems (controller_id, kind, reason, ends_us) values
    ('other', 'disk.low', 'of another', 9e15::bigint), ('gone', 'disk.low', 'of one that ended', 1)`.execute(
    db.kysely,
  );
  const other = { controller_id: 'other', kind: 'disk.low', reason: 'of another', account_nos: null };
  const mine = (kind: string, reason: string, account_nos: readonly number[] | null = null) => ({
    controller_id: 'this',
    kind,
    reason,
    account_nos,
  });
  const stores = (...wanted: readonly object[]) =>
    vi.waitFor(async () => {
      await clock.advance(15_000);
      const stored = await db.kysely
        .selectFrom('installation_problems')
        .select(['controller_id', 'kind', 'reason', 'account_nos'])
        .orderBy('controller_id')
        .orderBy('kind')
        .execute();
      expect(stored).toEqual([other, ...wanted]);
    }, soon);
  await backup(0);
  clockProblem = { reason: 'ahead', accountNos: [7] };
  diskProblem = 'full';
  const running = findings.run(ending.signal);
  await stores(mine('clock.wrong', 'ahead', [7]), mine('disk.low', 'full'));
  clockProblem = undefined;
  diskProblem = 'fuller';
  await stores(mine('disk.low', 'fuller'));
  await backup(5);
  renameSync(key, `${key}.away`);
  await stores(
    mine('backup.old', 'the newest backup is 5 days old'),
    mine('disk.low', 'fuller'),
    mine('key.missing', 'the key file is missing: no controller can start, and no backup can be made'),
  );
  await backup(0);
  renameSync(`${key}.away`, key);
  diskProblem = undefined;
  await stores();
  ending.abort();
  await running;
  const said = (level: number) => lines.filter((line) => line.level === level).map(({ msg }) => msg);
  const missing = 'the key file is missing: no controller can start, and no backup can be made';
  expect([said(40), said(50)]).toEqual([['the newest backup is 5 days old'], [missing]]);
  expect(said(30).toSorted()).toEqual([`over: ${missing}`, 'over: the newest backup is 5 days old']);
});

test('the facts of the database are findings: no backup, a contact that fails while messages wait', async () => {
  await becomes('backup_none');
  await backup(0);
  const rows = createFixtures(db.kysely);
  const accountNo = await rows.account();
  await sql`insert into contact_health (contact_no, account_no, failures, failing_since_us)
    values (1, ${accountNo}, 3, (extract(epoch from now() - interval '5 minutes') * 1e6)::bigint)`.execute(
    db.kysely,
  );
  await becomes();
  await sql`insert into notifications (notification_id, account_no, contact_no, order_key, kind, severity, data, at_us, created_us, due_us)
    select 'n' || n, ${accountNo}, 1, 'a', 'device.down', 'critical', '{}', 1, ${clock.nowUs()}, 1 from generate_series(1, 101) n`.execute(
    db.kysely,
  );
  await becomes('contact_failing');
  await sql`update contact_health set failing_since_us = null`.execute(db.kysely);
  await becomes();
});

test('a database that hangs delays no findings, and gets one question', async () => {
  await becomes('backup_none');
  diskProblem = 'full';
  await using hang = new AsyncDisposableStack();
  const locked = Promise.withResolvers<void>();
  const open = Promise.withResolvers<void>();
  const holder = db.kysely.transaction().execute(async (trx) => {
    await sql`lock table last_backup in access exclusive mode`.execute(trx);
    locked.resolve();
    await open.promise;
  });
  hang.defer(async () => {
    open.resolve();
    await holder;
  });
  await locked.promise;
  const waiting = async () => {
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
      db.kysely,
    );
    return rows[0]?.n;
  };
  await clock.advance(15_000);
  for (const _ of [1, 2, 3]) {
    const found = findings.read();
    await vi.waitFor(() => expect(clock.pending).toBeGreaterThan(0), soon);
    await clock.advance(15_000);
    expect((await found).map(({ id }) => id)).toEqual(['disk_low', 'backup_none']);
    await vi.waitFor(async () => expect(await waiting()).toBe(1), soon);
  }
});
