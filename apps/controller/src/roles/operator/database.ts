import { createLog } from '@vantage/kernel';
import type { CommandGroup } from '../../admin/commands.ts';
import { examineDatabase } from '../../admin/examine-database.ts';
import { distributeHistory, planDistribution } from '../../platform/db/distribute/index.ts';

/** The commands on the database itself. Their progress goes to standard error. */
export const databaseCommands: CommandGroup<'database'> = {
  'database.plan': ({ kysely }) => planDistribution(kysely),
  'database.distribute': (db, { shards }) =>
    distributeHistory(db, {
      shards,
      say: (line) => console.error(`vantage: ${line}`),
      log: createLog('database', 'warn', process.stderr),
    }),
  'database.examine': (db, { read_url }) => examineDatabase(db.kysely, read_url, db.url),
};
