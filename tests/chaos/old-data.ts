// The data of version 0.2.0: a database at the baseline, with many rows in the tables that later migrations change.
import { createLog } from '@vantage/kernel';
import { createDb } from '@vantage/storage';
import { baseline } from '@vantage/storage/baseline';
import { withClient } from '@vantage/testing/postgres-url';

/** The data that an upgrade must keep. */
export interface Holdings {
  readonly devices: number;
  readonly checks: number;
  readonly events: number;
  readonly audit: number;
  /** A sum over all checks, so that a changed row is noticed. */
  readonly digest: string;
}

const dayUs = 86_400_000_000;

/** Fills the database: `devices` devices, and `checksEach` checks and 20 events of each. */
export async function fillOldDatabase(url: string, devices: number, checksEach: number): Promise<Holdings> {
  const db = await createDb({ connection: { url }, log: createLog('old data', 'silent') });
  await db.migrate(baseline);
  await db.close();
  const todayUs = Math.floor((Date.now() * 1000) / dayUs) * dayUs;
  const name = `checks_${new Date(todayUs / 1000).toISOString().slice(0, 10).replaceAll('-', '')}`;
  await withClient(url, async (client) => {
    const id = (what: string, no: string) =>
      `substr(encode(sha256(('${what} ' || ${no})::bytea), 'hex'), 1, 48)`;
    for (const statement of [
      `insert into accounts (account_id, name) values (${id('account', "'1'")}, 'default')`,
      `insert into locations (location_id, account_no, name) values (${id('location', "'1'")}, 1, 'local')`,
      `insert into agents (agent_id, account_no, location_no, name, token_hash)
        values (${id('agent', "'1'")}, 1, 1, 'agent', sha256('x'))`,
      `insert into devices (device_id, account_no, method, url, sealed, short_name, frequency_min, timeout_s, retries, retry_delay_s,
          locations_given, changed_us, created_us, updated_us)
        select ${id('device', 'i')}, 1, 'HTTP', 'http://shop-' || i || '.example/?token=abc', sha256('x'), 'shop ' || i, 1, 30, 2, 10, false,
          ${todayUs}, ${todayUs}, ${todayUs} from generate_series(1, ${devices}) i`,
      `create table ${name} partition of check_rows for values from (${todayUs}) to (${todayUs + dayUs})`,
      `insert into check_rows (device_no, start_us, agent_no, location_no, end_us, arrived_us, revision, attempt, code, perf, block_ms, dns_ms,
          connect_ms, ssl_ms, ttfb_ms, ttlb_ms, data_size, check_result)
        select d, ${todayUs} + k * 60000000::bigint + d, 1, 1, ${todayUs} + k * 60000000::bigint + d + 1000, ${todayUs} + k * 60000000::bigint + d + 9000, 1, 0, 1, 0, 0, 0.25,
          0.25, 0, 0.25, 0.25, 42, '200 OK ' || (d + k) % 7
        from generate_series(1, ${devices}) d, generate_series(1, ${checksEach}) k`,
      `insert into events (event_id, account_no, device_no, at_us, type, status, message, recorded_us)
        select ${id('event', "d || '-' || k")}, 1, d, ${todayUs} + k * 1000000::bigint, 'Changed', 'Up', 'changed', 1
        from generate_series(1, ${devices}) d, generate_series(1, 20) k`,
      `insert into audit (audit_id, account_no, at_us, actor, action, kind, id, changes)
        select ${id('audit', "d || '-' || k")}, 1, ${todayUs} + k, 'deploy', 'update', 'device', ${id('device', 'd')},
          '[{"Field": "URL", "Old": "http://a.example/?token=abc", "New": "http://b.example/?token=def"}]'
        from generate_series(1, ${devices}) d, generate_series(1, 5) k`,
      'analyze',
    ])
      await client.query(statement);
  });
  return readHoldings(url);
}

/** Counts what the database holds, at any version. */
export async function readHoldings(url: string): Promise<Holdings> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<Holdings>(`
      select (select count(*) from devices)::int as devices, (select count(*) from events)::int as events,
        (select count(*) from audit)::int as audit, count(*)::int as checks,
        sum(hashtextextended(concat_ws(' ', device_no, start_us, end_us, arrived_us, code, data_size, check_result), 0)::numeric)::text as digest
      from checks`);
    const [row] = rows;
    if (row === undefined) throw new Error('the database does not answer');
    return row;
  });
}

/** The number of migrations that the database has. */
export async function countMigrations(url: string): Promise<number> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ n: number }>('select count(*)::int as n from migrations');
    return rows[0]?.n ?? 0;
  });
}
