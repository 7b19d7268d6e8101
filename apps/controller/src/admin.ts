// This program runs operator's commands: each line of its standard input is a call, and each of its output a reply.
// It loads the modules of one group of commands only, because a start that loads all of them takes twice as long.
import { createInterface } from 'node:readline';
import { openDatabase } from './admin/open-database.ts';
import { runCall } from './admin/run-command.ts';
import { followDatabase } from './agents/clocks/index.ts';
import { createOperator } from './roles/operator/operator.ts';

const operator = createOperator(process.env);
const open = (url: string) => openDatabase(url, ({ kysely }) => followDatabase(kysely, operator.clock));
const groups = {
  accounts: async () => (await import('./roles/operator/account-commands.ts')).accountCommands(operator),
  agents: async () => (await import('./roles/operator/agent-commands.ts')).agentCommands(operator),
  alerts: async () => (await import('./roles/operator/alert-commands.ts')).alertCommands(operator),
  contacts: async () => (await import('./roles/operator/contact-commands.ts')).contactCommands(operator),
  database: async () => (await import('./roles/operator/database-commands.ts')).databaseCommands,
  'first-run': async () =>
    (await import('./roles/operator/first-run-commands.ts')).firstRunCommands(operator),
  keys: async () => (await import('./roles/operator/key-commands.ts')).keyCommands(operator),
  locations: async () => (await import('./roles/operator/location-commands.ts')).locationCommands(operator),
  quarantine: async () => (await import('./roles/operator/quarantine-commands.ts')).quarantineCommands,
};
for await (const call of createInterface({ input: process.stdin }))
  process.stdout.write(`${JSON.stringify(await runCall(call, { groups, open }))}\n`);
