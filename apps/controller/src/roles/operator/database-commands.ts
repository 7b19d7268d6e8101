import { systemClock } from '@vantage/kernel';
import { distributeHistory, planDistribution } from '@vantage/storage/distribute';
import { examineDatabase } from '../../admin/examine-database.ts';
import type { CommandGroup } from '../../admin/run-command.ts';
import { compareSums } from '../../results/roll-up/index.ts';

/** The commands on the database itself. Their progress goes to standard error. */
export const databaseCommands: CommandGroup<'database'> = {
  'database.plan': ({ kysely }) => planDistribution(kysely),
  'database.distribute': (db, { shards }) =>
    distributeHistory(db, { shards, say: (line) => console.error(`vantage: ${line}`) }),
  'database.compare-sums': async ({ kysely }, { days, within_ms: withinMs }) =>
    compareSums(kysely, {
      clock: systemClock,
      days,
      withinMs,
      random: Math.random,
      say: (line) => console.error(`vantage: ${line}`),
    }),
  'database.examine': (db, { read_url }) => examineDatabase(db.kysely, read_url, db.url),
};
