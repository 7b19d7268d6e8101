import process from 'node:process';
import { createLog, Fault, logNodeWarnings, messageOf, shutdownSignal, systemClock } from '@vantage/kernel';
import { runAgent } from './agent.ts';
import { loadSettings } from './config/load-agent-settings.ts';
import { lockFolder } from './storage/folder-lock.ts';

/**
 * Exit status by which the launcher starts this program again, with the version that an upgrade chose (EX_TEMPFAIL of
 * sysexits.h).
 */
const restartStatus = 75;
const [home] = process.argv.slice(2); // the launcher passes the folder of the installed program

const ending = shutdownSignal();
const restarting = new AbortController();
const signal = AbortSignal.any([ending, restarting.signal]);
const settings = loadSettings();
if (settings.ok) {
  const { config, policy } = settings;
  const log = createLog('agent', config.logLevel);
  logNodeWarnings(log);
  try {
    await using _lock = await lockFolder(config.dataDir, systemClock, signal);
    const launcher = { home, restart: () => restarting.abort('another version starts') };
    await runAgent({ config, policy, clock: systemClock, random: Math.random, log, signal, launcher });
    process.exitCode = restarting.signal.aborted && !ending.aborted ? restartStatus : 0;
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
