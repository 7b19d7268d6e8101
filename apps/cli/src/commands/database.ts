import type { OperatorAnswers } from '@vantage/domain/operator-commands';
import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { type CommandLine, controllerSurroundings } from '../command-line.ts';
import { printText, render } from '../output.ts';
import { runProgram } from '../run-program.ts';

const answerSchema = z.object({
  from: z.string(),
  to: z.string(),
  tables: z.int(),
  rows: z.int(),
  rounds: z.int(),
  /** From the moment in which the writers of FROM waited to its end, ms. */
  heldMs: z.int(),
  /** To the moment in which a controller used TO; null: none does. */
  backMs: z.int().nullable(),
  tookMs: z.int(),
});

/** Adds `database copy` and `database distribute`. */
export function addDatabaseCommands(commandLine: CommandLine): void {
  const database = commandLine.group('database', 'move or distribute the database');
  addDistributeCommand(commandLine, database);
  database
    .command('copy <from> <to>')
    .description(
      'copy the database into an empty one while everything runs, compare both, and go over to it; each is "embedded", a postgres:// URL, or @FILE with the URL',
    )
    .action(async (from: string, to: string) => {
      const answer = await runProgram('copy', { from, to }, controllerSurroundings().env, answerSchema);
      printText(commandLine.asJson() ? render(answer, true) : describe(answer));
    });
}

function describe({ from, to, tables, rows, heldMs, backMs, tookMs }: z.output<typeof answerSchema>): string {
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  const setting =
    to === 'the embedded database' ? 'take VANTAGE_DATABASE_URL away' : `set VANTAGE_DATABASE_URL to ${to}`;
  return [
    `${to} took the place of ${from}: ${rows.toLocaleString('en')} rows of ${tables} tables, compared, in ${seconds(tookMs)}.`,
    `Writers waited ${seconds(heldMs)}. ${backMs === null ? 'No controller uses the copy yet: start it.' : `A controller used the copy after ${seconds(backMs)}.`}`,
    `Now ${setting}. Until then controllers find the copy by a note in ${from}, so keep that one. It takes no writes any more.`,
  ].join('\n');
}

const mostShards = 1_024;

function readShards(text: string): number {
  const shards = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (shards >= 1 && shards <= mostShards) return shards;
  throw new InvalidArgumentError(`Give a number from 1 to ${mostShards}.`);
}

/** Adds `distribute` to the commands `database`. */
function addDistributeCommand({ answer }: CommandLine, database: Command): void {
  database
    .command('distribute')
    .description('show how the history goes to the workers of a Citus cluster, and with --yes distribute it')
    .option('--yes', 'distribute it: results wait in the outboxes of the agents meanwhile')
    .option('--shards <number>', 'shards of each table: 2 to 4 for each core of the workers', readShards, 32)
    .action(({ yes = false, shards }: { readonly yes?: boolean; readonly shards: number }) =>
      answer(
        (admin) => (yes ? admin('database.distribute', { shards }) : admin('database.plan', {})),
        (plan) => describePlan(plan),
      ),
    );
}

function describePlan({ citus, workers, tables }: OperatorAnswers['database.plan']): string {
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
