import { Fault } from '@vantage/kernel';
import type pg from 'pg';
import { isDistributedSql } from './history-tables.ts';

/**
 * Throws a Fault that begins with `what` where the history is distributed: Citus reads the workers' rows as they are
 * when it asks for them, never as of the moment of the coordinator's.
 */
export async function refuseDistributed(client: Pick<pg.Client, 'query'>, what: string): Promise<void> {
  const { rows } = await client.query<{ is: boolean }>(`select ${isDistributedSql} as is`);
  if (rows[0]?.is !== true) return;
  throw new Fault(
    'stop',
    'distributed',
    `${what}: the history lies on the workers of a Citus cluster, and cannot be read as of one moment; use the means of PostgreSQL on all servers (docs/operate.md, "History on Citus")`,
  );
}
