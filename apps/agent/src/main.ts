import process from 'node:process';
import { createLog, messageOf, shutdownSignal, systemClock } from '@vantage/kernel';
import { runAgent } from './agent.ts';
import { holdFolder } from './folder-lock.ts';
import { checkSettings } from './settings-check.ts';

const signal = shutdownSignal();
const checked = checkSettings();
if (checked.ok) {
  const { config, policy } = checked;
  const log = createLog('agent', config.logLevel);
  try {
    await using _lock = await holdFolder(config.dataDir, systemClock, signal);
    await runAgent({ config, policy, clock: systemClock, random: Math.random, log, signal });
    process.exitCode = 0;
  } catch (error) {
    if (!signal.aborted) {
      log.fatal(messageOf(error));
      process.exitCode = 1;
    }
  }
} else {
  for (const problem of checked.problems) console.error(`vantage agent: ${problem}`);
  process.exitCode = 2;
}
process.exit();
