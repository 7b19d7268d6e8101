import { createFixtures } from '@vantage/testing/fixtures';
import { useDatabase } from '@vantage/testing/use-database';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Database, Db } from '../index.ts';
import { dropScope } from './scope-views.ts';
import { ScopeNotReady } from './tag-scope.ts';

let db: Database;
useDatabase((opened) => {
  db = opened;
});

const textsOf = async (statement: ReturnType<typeof sql<{ text: string }>>) =>
  (await statement.execute(db.kysely)).rows.map(({ text }) => text);

/** Tables that no rule chooses from: what they hold belongs to the account or to nobody. */
const open = [
  'accounts',
  'agents',
  'authorities',
  'agent_upgrades',
  'cancelled_occurrences',
  'clock_evidence',
  'clock_records',
  'connection_spans',
  'contact_health',
  'contacts',
  'controllers',
  'coverage',
  'push_receivers',
  'hook_progress',
  'hooks',
  'mails',
  'page_news',
  'page_subscribers',
  'pages',
  'report_progress',
  'reports',
  'copy_changes',
  'database_epochs',
  'database_moves',
  'days_to_compact',
  'deleted_events',
  'device_changes',
  'former_locations',
  'gaps',
  'installation_problems',
  'installation_settings',
  'job_cursors',
  'job_quarantine',
  'kept_answers',
  'key_uses',
  'last_backup',
  'leases',
  'left_tags',
  'locations',
  'migrations',
  'mschedules',
  'nschedules',
  'quarantined',
  'rollouts',
  'rollup_dirty',
  'sealing_key_proof',
  'sessions',
  'trials',
];

test('each table has a view that chooses its rows, or is known to hold nothing of a device', async () => {
  const tables = await textsOf(sql<{ text: string }>`
    select relname::text as text from pg_class where relnamespace = 'public'::regnamespace
      and relkind in ('r', 'p', 'v') and not relispartition order by 1`);
  const views = await textsOf(sql<{ text: string }>`
    select relname::text as text from pg_class where relnamespace = 'vantage_scoped'::regnamespace order by 1`);
  expect([...views, ...open].sort()).toEqual([...tables, 'scope_ready'].sort());
});

test('the functions of all triggers see the tables, not the views', async () => {
  const without = await textsOf(sql<{ text: string }>`
    select proname::text as text from pg_proc where pronamespace = 'public'::regnamespace and prorettype = 'trigger'::regtype
      and not coalesce(proconfig::text like '%search_path=%', false)`);
  expect(without).toEqual([]);
});

test('a scope ends with its transaction, also on the same connection', async () => {
  const rows = createFixtures(db.kysely);
  const accountNo = await rows.account();
  await rows.device(accountNo, []);
  const count = async ({ kysely }: Db) =>
    (await kysely.selectFrom('devices').select('device_no').execute()).length;
  const all = await count(db);
  for (let round = 0; round < 20; round += 1) {
    expect(await db.inScope([], count)).toBe(0);
    await expect(db.inScope([1], () => Promise.reject(new Error('work failed')))).rejects.toThrow(
      'work failed',
    );
    expect(await count(db)).toBe(all);
  }
});

test('without the views nothing is read at all, and a start makes them again', async () => {
  await dropScope(db.kysely);
  const read = () => db.inScope([1], ({ kysely }) => kysely.selectFrom('devices').selectAll().execute());
  await expect(read()).rejects.toThrow(ScopeNotReady);
  await db.migrate();
  expect(await read()).toEqual([]);
});
