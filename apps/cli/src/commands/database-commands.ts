import type { OperatorAnswers } from '@vantage/domain/operator-commands';
import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { type CommandLine, controllerContext } from '../command-line.ts';
import { printText, render } from '../print-answer.ts';
import { runProgram } from '../run-program.ts';

const copySchema = z.object({
  from: z.string(),
  to: z.string(),
  tables: z.int(),
  rows: z.int(),
  rounds: z.int(),
  /** The time for which writers of FROM waited. */
  heldMs: z.int(),
  /** The time until a controller used TO; null: none uses it. */
  backMs: z.int().nullable(),
  tookMs: z.int(),
});

export function addDatabaseCommands(commandLine: CommandLine): void {
  const database = commandLine.group('database', 'move or distribute the database');
  addDistributeCommand(commandLine, database);
  database
    .command('copy <from> <to>')
    .description(
      'copy the database into an empty database while everything runs, compare both, and switch to the copy; FROM and TO are "embedded", a postgres:// URL, or @FILE with the URL',
    )
    .action(async (from: string, to: string) => {
      const answer = await runProgram('copy', { from, to }, controllerContext().env, copySchema);
      printText(commandLine.asJson() ? render(answer, true) : copyText(answer));
    });
}

function copyText({ from, to, tables, rows, heldMs, backMs, tookMs }: z.output<typeof copySchema>): string {
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  const setting =
    to === 'the embedded database' ? 'remove VANTAGE_DATABASE_URL' : `set VANTAGE_DATABASE_URL to ${to}`;
  return [
    `${to} replaces ${from}: ${rows.toLocaleString('en')} rows of ${tables} tables, compared, in ${seconds(tookMs)}.`,
    `Writers waited ${seconds(heldMs)}. ${backMs === null ? 'No controller uses the copy yet: start it.' : `A controller used the copy after ${seconds(backMs)}.`}`,
    `Now ${setting}. Until then keep ${from}: it accepts no writes, but a note in it leads controllers to the copy.`,
  ].join('\n');
}

const maxShards = 1_024;

function readShards(text: string): number {
  const shards = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (shards >= 1 && shards <= maxShards) return shards;
  throw new InvalidArgumentError(`The number must be from 1 to ${maxShards}.`);
}

function addDistributeCommand({ answer }: CommandLine, database: Command): void {
  database
    .command('distribute')
    .description(
      'show which tables belong on the workers of a Citus cluster and on its coordinator, and with --yes move them there',
    )
    .option(
      '--yes',
      'move them: packing waits meanwhile, and results where tables move back to the coordinator',
    )
    .option(
      '--shards <number>',
      'shards of the packed days: 2 to 4 for each core of the workers',
      readShards,
      32,
    )
    .action(({ yes = false, shards }: { readonly yes?: boolean; readonly shards: number }) =>
      answer(
        (admin) => (yes ? admin('database.distribute', { shards }) : admin('database.plan', {})),
        (plan) => distributionText(plan),
      ),
    );
}

function distributionText({ citus, workers, tables }: OperatorAnswers['database.plan']): string {
  const lines = tables.map(({ table, place, done, bytes }) => {
    const where = place === 'workers' ? 'the workers' : 'the coordinator';
    const size = `${(bytes / 1_000_000).toFixed(1)} MB`;
    return `  ${table.padEnd(14)} ${done ? `is on ${where}` : `will be moved to ${where} (${size})`}`;
  });
  const isDone = tables.every(({ done }) => done);
  return [
    `Citus ${citus}, workers: ${workers.join(', ')}`,
    ...lines,
    isDone
      ? 'Nothing is left to move.'
      : 'Run it with --yes. Each table is copied in one transaction. Packing waits meanwhile; while a table moves to the coordinator, results wait in the outboxes of the agents.',
  ].join('\n');
}
