import type { OperatorAnswers } from '@vantage/domain/operator-commands';
import { type Command, InvalidArgumentError } from 'commander';
import type { CommandLine } from '../command-line.ts';

const mostShards = 1_024;

function readShards(text: string): number {
  const shards = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (shards >= 1 && shards <= mostShards) return shards;
  throw new InvalidArgumentError(`Give a number from 1 to ${mostShards}.`);
}

/** Adds `distribute` to the commands `database`. */
export function addDistributeCommand({ answer }: CommandLine, database: Command): void {
  database
    .command('distribute')
    .description('show how the history goes to the workers of a Citus cluster, and with --yes distribute it')
    .option('--yes', 'distribute it: results wait in the outboxes of the agents meanwhile')
    .option('--shards <number>', 'shards of each table: 2 to 4 for each core of the workers', readShards, 32)
    .action(({ yes = false, shards }: { readonly yes?: boolean; readonly shards: number }) =>
      answer(
        (admin) => (yes ? admin('database.distribute', { shards }) : admin('database.plan', {})),
        (plan) => describe(plan),
      ),
    );
}

function describe({ citus, workers, tables }: OperatorAnswers['database.plan']): string {
  const lines = tables.map(({ table, done, bytes }) => {
    const size = `${(bytes / 1_000_000).toFixed(1)} MB on the coordinator`;
    return `  ${table.padEnd(14)} ${done ? 'is distributed' : `goes to the workers (${size})`}`;
  });
  const isDone = tables.every(({ done }) => done);
  return [
    `Citus ${citus}, workers: ${workers.join(', ')}`,
    ...lines,
    isDone
      ? 'Nothing is left to distribute.'
      : 'Run it with --yes. Each table is copied in one transaction; results wait in the outboxes of the agents meanwhile.',
  ].join('\n');
}
