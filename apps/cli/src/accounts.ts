import { Fault, newId } from '@vantage/kernel';
import type { Sql } from './database.ts';

/** An account as the commands show it. */
export interface Account {
  readonly account_id: string;
  readonly name: string;
  readonly timezone: string;
}

/** Makes an account; a name that is taken, or a zone that nobody knows, is a Fault. */
export async function createAccount(sql: Sql, given: { name: string; timezone: string }): Promise<Account> {
  if (!isTimezone(given.timezone))
    throw new Fault('drop', 'bad_timezone', `${given.timezone} is no IANA time zone (such as Europe/Berlin)`);
  const rows = await sql.query<Account>(
    `insert into accounts (account_id, name, timezone) values ($1, $2, $3)
     on conflict (name) do nothing returning account_id, name, timezone`,
    [newId(), given.name, given.timezone],
  );
  const [made] = rows;
  if (!made) throw new Fault('drop', 'account_exists', `there is an account named ${given.name} already`);
  return made;
}

/** All accounts by name. */
export function listAccounts(sql: Sql): Promise<Account[]> {
  return sql.query<Account>('select account_id, name, timezone from accounts order by name');
}

/** The number of the account with this name or id; a Fault names the ones there are. */
export async function accountNo(sql: Sql, nameOrId: string): Promise<number> {
  const [row] = await sql.query<{ account_no: number }>(
    'select account_no from accounts where name = $1 or account_id = $1',
    [nameOrId],
  );
  if (row) return row.account_no;
  const names = (await listAccounts(sql)).map(({ name }) => name);
  throw new Fault(
    'drop',
    'no_account',
    `there is no account ${nameOrId}; accounts: ${names.join(', ') || 'none'}`,
  );
}

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return /^[A-Za-z]/.test(name);
  } catch {
    return false;
  }
}
