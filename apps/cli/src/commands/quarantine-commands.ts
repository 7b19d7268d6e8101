import { InvalidArgumentError } from 'commander';
import type { CommandLine } from '../command-line.ts';

const maxRecords = 10_000;

function readLimit(text: string): number {
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= maxRecords) return limit;
  throw new InvalidArgumentError(`The number must be from 1 to ${maxRecords}.`);
}

interface QuarantineOptions {
  readonly account?: string;
  readonly agent?: string;
  readonly reason?: string;
  readonly limit?: number;
}

export function addQuarantineCommands({ group, answer }: CommandLine): void {
  const quarantine = group('quarantine', 'records of agents that the controller rejected');
  quarantine
    .command('list')
    .description('list records by agent and reason, the latest first')
    .option('--account <name>', 'only records of this account (name or id)')
    .action(({ account }: QuarantineOptions) => answer((admin) => admin('quarantine.list', { account })));
  quarantine
    .command('retry')
    .description('ingest records again, the oldest first: accepted records leave the quarantine')
    .option('--account <name>', 'only records of this account (name or id)')
    .option('--agent <agent_id>', 'only records of this agent')
    .option('--reason <text>', 'only records with this reason, as the list shows it')
    .option('--limit <number>', `the most records to ingest, up to ${maxRecords}`, readLimit, 1_000)
    .action(({ account, agent, reason, limit = 1_000 }: QuarantineOptions) =>
      answer((admin) => admin('quarantine.retry', { account, agent_id: agent, reason, limit })),
    );
}
