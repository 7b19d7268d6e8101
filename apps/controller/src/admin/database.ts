import { createLog } from '@vantage/kernel';
import { sql } from 'kysely';
import { distributeHistory, planDistribution } from '../db/distribute/index.ts';
import type { Commands } from './commands.ts';

/** The commands on the database itself. Their progress goes to standard error. */
export const databaseCommands: Pick<Commands, 'database.plan' | 'database.distribute' | 'database.examine'> =
  {
    'database.plan': ({ kysely }) => planDistribution(kysely),
    'database.distribute': (db, { shards }) =>
      distributeHistory(db, {
        shards,
        say: (line) => console.error(`vantage: ${line}`),
        log: createLog('database', 'warn', process.stderr),
      }),
    'database.examine': async ({ kysely }) => {
      const { rows } = await sql<{ name: string }>`select current_setting('server_version') as name`.execute(
        kysely,
      );
      return rows.map(({ name }) => ({
        level: 'ok',
        step: 'database',
        text: `PostgreSQL ${name}, with sessions`,
      }));
    },
  };
