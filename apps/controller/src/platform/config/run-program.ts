import { createLog, Fault, type Logger, logNodeWarnings, messageOf } from '@vantage/kernel';
import type { Config } from './config.ts';
import { validateSettings } from './load-settings.ts';

/**
 * Runs the controller with the settings of this process, and ends the process: 0, 1 after a fault, 2 when the settings
 * have problems.
 */
export async function runProgram(run: (config: Config, log: Logger) => Promise<void>): Promise<never> {
  const loaded = await validateSettings();
  if (!loaded.ok) {
    for (const problem of loaded.problems) console.error(`vantage controller: ${problem}`);
    process.exit(2);
  }
  const log = createLog('controller', loaded.config.logLevel);
  logNodeWarnings(log);
  try {
    await run(loaded.config, log);
    process.exit(0);
  } catch (error) {
    const data = error instanceof Fault ? error.data : {};
    log.fatal(
      { ...data, stack: error instanceof Fault || !(error instanceof Error) ? undefined : error.stack },
      messageOf(error),
    );
    process.exit(1);
  }
}
