import { Fault } from '@vantage/kernel';
import { CommanderError } from 'commander';
import { createAllCommands } from './all-commands.ts';
import { renderFailure } from './output.ts';

/** Codes of faults that the caller's arguments or settings cause; the last four are those of `script run`. */
const mistakes = ['settings', 'bad_name', 'unreadable', 'no_script', 'bad_secrets', 'bad_timeout'];

/** Runs the command of these arguments. A failure is printed, and is in `process.exitCode`: 1, or 2 for a mistake. */
export async function runCommandLine(args: readonly string[]): Promise<void> {
  const commandLine = createAllCommands();
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
