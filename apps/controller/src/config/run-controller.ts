import { createLog, Fault, type Logger, logNodeWarnings, messageOf } from '@vantage/kernel';
import type { ControllerConfig } from './controller-config.ts';
import { validateSettings } from './load-settings.ts';

/** Runs the controller, and ends the process with 0, with 1 after a fault, or with 2 when the settings have faults. */
export async function runProgram(
  run: (config: ControllerConfig, log: Logger) => Promise<void>,
): Promise<never> {
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
