import { InvalidArgumentError } from 'commander';
import type { CommandLine } from '../command-line.ts';

const mostAtOnce = 10_000;

function readLimit(text: string): number {
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= mostAtOnce) return limit;
  throw new InvalidArgumentError(`Give a number from 1 to ${mostAtOnce}.`);
}

interface Options {
  readonly account?: string;
  readonly agent?: string;
  readonly reason?: string;
  readonly limit?: number;
}

/** Adds `quarantine list` and `quarantine retry`. */
export function addQuarantineCommands({ group, answer }: CommandLine): void {
  const quarantine = group('quarantine', 'records of agents that the controller did not accept');
  quarantine
    .command('list')
    .description('list them by agent and reason, the latest first')
    .option('--account <name>', 'only those of this account (name or id)')
    .action(({ account }: Options) => answer((admin) => admin('quarantine.list', { account })));
  quarantine
    .command('retry')
    .description('take records in again, the oldest first: those that are accepted now leave the quarantine')
    .option('--account <name>', 'only those of this account (name or id)')
    .option('--agent <agent_id>', 'only those of this agent')
    .option('--reason <text>', 'only those with this reason, as the list shows it')
    .option('--limit <number>', `at most so many records, up to ${mostAtOnce}`, readLimit, 1_000)
    .action(({ account, agent, reason, limit = 1_000 }: Options) =>
      answer((admin) => admin('quarantine.retry', { account, agent_id: agent, reason, limit })),
    );
}
