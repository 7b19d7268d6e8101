import process from 'node:process';
import { createLog, Fault, messageOf, shutdownSignal, systemClock } from '@vantage/kernel';
import { runAgent } from './agent.ts';
import { validateSettings } from './config/load-settings.ts';
import { holdFolder } from './storage/folder-lock.ts';

const signal = shutdownSignal();
const settings = validateSettings();
if (settings.ok) {
  const { config, policy } = settings;
  const log = createLog('agent', config.logLevel);
  try {
    await using _lock = await holdFolder(config.dataDir, systemClock, signal);
    await runAgent({ config, policy, clock: systemClock, random: Math.random, log, signal });
    process.exitCode = 0;
  } catch (error) {
    if (!signal.aborted) {
      log.fatal(messageOf(error));
      process.exitCode = error instanceof Fault && error.code === 'enrolment_refused' ? 3 : 1;
    }
  }
} else {
  for (const problem of settings.problems) console.error(`vantage agent: ${problem}`);
  process.exitCode = 2;
}
process.exit();
