import { createLog } from '@vantage/kernel';
import { distributeHistory, planDistribution } from '../platform/db/distribute/index.ts';
import type { Commands } from './commands.ts';
import { examineDatabase } from './examine-database.ts';

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
    'database.examine': (db, { read_url }) => examineDatabase(db.kysely, read_url, db.url),
  };
