import { Fault } from '@vantage/kernel';
import { CommanderError } from 'commander';
import type { AdminOf } from './admin.ts';
import { type CommandLine, createCommandLine } from './command-line.ts';
import { addAccountCommands } from './commands/accounts.ts';
import { addAgentCommands } from './commands/agents.ts';
import { addAlertCommands } from './commands/alerts.ts';
import { addAuditCommands } from './commands/audit.ts';
import { addBackupCommands } from './commands/backup.ts';
import { addCodeCommands } from './commands/code.ts';
import { addCompletionCommands } from './commands/completion.ts';
import { addContactCommands } from './commands/contacts.ts';
import { addDatabaseCommands } from './commands/database.ts';
import { locationsOnHost } from './commands/host-commands.ts';
import { addCompareCommand, addImportCommands } from './commands/imports.ts';
import { addKeyCommands } from './commands/keys.ts';
import { addLoginCommand } from './commands/login.ts';
import { addLogsCommand } from './commands/logs.ts';
import { addMcpCommand } from './commands/mcp.ts';
import { addQuarantineCommands } from './commands/quarantine.ts';
import { addReleaseCommands } from './commands/releases.ts';
import { addResourceCommands } from './commands/resources.ts';
import { addScriptCommands } from './commands/script.ts';
import { addSizeCommand } from './commands/size.ts';
import { addSystemCommands } from './commands/system.ts';
import { addVerbCommands } from './commands/verbs.ts';
import { renderFailure } from './output.ts';

/** Creates the program with all of its commands. */
export function createAllCommands(adminOf?: AdminOf): CommandLine {
  const commandLine = createCommandLine(adminOf);
  addSystemCommands(commandLine);
  addLogsCommand(commandLine);
  addBackupCommands(commandLine);
  addDatabaseCommands(commandLine);
  addAccountCommands(commandLine);
  addKeyCommands(commandLine);
  addAgentCommands(commandLine);
  const contacts = addContactCommands(commandLine);
  const alerts = addAlertCommands(commandLine);
  addQuarantineCommands(commandLine);
  addAuditCommands(commandLine);
  addScriptCommands(commandLine);
  addReleaseCommands(commandLine);
  addImportCommands(commandLine);
  addCompareCommand(commandLine);
  addCodeCommands(commandLine);
  addLoginCommand(commandLine);
  addResourceCommands(commandLine, { locations: locationsOnHost(commandLine), contacts, alerts });
  addVerbCommands(commandLine);
  addCompletionCommands(commandLine);
  addMcpCommand(commandLine);
  addSizeCommand(commandLine);
  return commandLine;
}

/** Codes of faults that the caller's arguments or settings cause; the last four are those of `script run`. */
const mistakes = ['settings', 'bad_name', 'unreadable', 'no_script', 'bad_secrets', 'bad_timeout'];

/** Runs the command of these arguments. A failure is printed, and is in `process.exitCode`: 1, or 2 for a mistake. */
export async function runCommandLine(args: readonly string[], adminOf?: AdminOf): Promise<void> {
  const commandLine = createAllCommands(adminOf);
  try {
    await commandLine.run(args);
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has printed the reason; help and version are no failures.
      process.exitCode = error.exitCode === 0 ? 0 : 2;
    } else {
      console.error(renderFailure(error, commandLine.asJson()));
      process.exitCode = error instanceof Fault && mistakes.includes(error.code) ? 2 : 1;
    }
  }
}
