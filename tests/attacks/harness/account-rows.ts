import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/** The rows of an account, a digest for each table. */
export type AccountRows = Readonly<Record<string, string>>;

/**
 * Digests of all rows that belong to an account, in every table whose rows name an account, device, agent or Location.
 * `except`: tables that the account's own work changes.
 */
export async function readAccountRows(
  kysely: Kysely<Tables>,
  accountNo: number,
  except: readonly string[] = [],
): Promise<AccountRows> {
  const { rows: tables } = await sql<{ name: string; keys: string[] }>`
    select c.table_name as name, array_agg(c.column_name::text) as keys
    from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.table_name !~ '^checks_'
      and c.column_name in ('account_no', 'device_no', 'agent_no', 'location_no')
    group by 1 order by 1`.execute(kysely);
  const digests: Record<string, string> = {};
  for (const { name, keys } of tables) {
    if (except.includes(name)) continue;
    const isOfAccount = sql.join(
      keys.map((key) => owned(key, accountNo)),
      sql` or `,
    );
    const { rows } = await sql<{ digest: string }>`
      select count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as digest
      from ${sql.table(name)} t where ${isOfAccount}`.execute(kysely);
    digests[name] = rows[0]?.digest ?? '';
  }
  return digests;
}

function owned(key: string, accountNo: number) {
  const column = sql.ref(`t.${key}`);
  if (key === 'account_no') return sql`${column} = ${accountNo}`;
  const table = sql.table(key === 'device_no' ? 'devices' : key === 'agent_no' ? 'agents' : 'locations');
  return sql`${column} in (select ${sql.ref(`o.${key}`)} from ${table} o where o.account_no = ${accountNo})`;
}
