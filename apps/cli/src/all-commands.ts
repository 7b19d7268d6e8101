import { Fault } from '@vantage/kernel';
import { CommanderError } from 'commander';
import type { AdminOf } from './admin-process.ts';
import { type CommandLine, createCommandLine } from './command-line.ts';
import { addAccountCommands } from './commands/account-commands.ts';
import { addAgentCommands } from './commands/agent-commands.ts';
import { addAlertCommands } from './commands/alert-commands.ts';
import { addAuditCommands } from './commands/audit-commands.ts';
import { addBackupCommands } from './commands/backup-commands.ts';
import { addCodeCommands } from './commands/code-commands.ts';
import { addCompletionCommands } from './commands/completion-commands.ts';
import { addContactCommands } from './commands/contact-commands.ts';
import { addDatabaseCommands } from './commands/database-commands.ts';
import { locationsOnHost } from './commands/host-commands.ts';
import { addCompareCommand, addImportCommands } from './commands/import-commands.ts';
import { addKeyCommands } from './commands/key-commands.ts';
import { addLoginCommand } from './commands/login-command.ts';
import { addLogsCommand } from './commands/logs-command.ts';
import { addMcpCommand } from './commands/mcp-command.ts';
import { addPushCommand } from './commands/push-command.ts';
import { addQuarantineCommands } from './commands/quarantine-commands.ts';
import { addReleaseCommands } from './commands/release-commands.ts';
import { addResourceCommands } from './commands/resource-commands.ts';
import { addScriptCommands } from './commands/script-command.ts';
import { addSizeCommand } from './commands/size-command.ts';
import { addSnmpCommands } from './commands/snmp-command.ts';
import { addSystemCommands } from './commands/system-commands.ts';
import { addVerbCommands } from './commands/verb-commands.ts';
import { renderFailure } from './print-answer.ts';

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
  addPushCommand(commandLine);
  addReleaseCommands(commandLine);
  addImportCommands(commandLine);
  addCompareCommand(commandLine);
  addCodeCommands(commandLine);
  addLoginCommand(commandLine);
  addResourceCommands(commandLine, { locations: locationsOnHost(commandLine), contacts, alerts });
  addVerbCommands(commandLine);
  addSnmpCommands(commandLine);
  addCompletionCommands(commandLine);
  addMcpCommand(commandLine);
  addSizeCommand(commandLine);
  return commandLine;
}

/** Codes of faults in the caller's arguments or settings. The last four are from `script run`. */
const callerFaults = ['settings', 'bad_name', 'unreadable', 'no_script', 'bad_secrets', 'bad_timeout'];

/** Runs a command. A failure is printed and sets `process.exitCode`: 2 for faults of the caller, else 1. */
export async function runCommandLine(args: readonly string[], adminOf?: AdminOf): Promise<void> {
  const commandLine = createAllCommands(adminOf);
  try {
    await commandLine.run(args);
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has printed the reason. Help and version are not failures.
      process.exitCode = error.exitCode === 0 ? 0 : 2;
    } else {
      console.error(renderFailure(error, commandLine.asJson()));
      process.exitCode = error instanceof Fault && callerFaults.includes(error.code) ? 2 : 1;
    }
  }
}
