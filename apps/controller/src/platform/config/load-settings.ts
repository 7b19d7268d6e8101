import { readFileSync } from 'node:fs';
import { createLog, Fault, type Logger, logNodeWarnings, messageOf } from '@vantage/kernel';
import { portProblem } from '../server/listen-on.ts';
import { type Config, type ConfigResult, loadConfig } from './config.ts';

/** The settings of this process. Ports are not tried: see `validateSettings`. */
export function loadSettings(): ConfigResult {
  const { env } = process;
  return loadConfig({ env, cwd: process.cwd(), readText: (file) => readFileSync(file, 'utf8') });
}

/**
 * The settings of this process. A port that is taken is a fault like a wrong value, so that the operator reads of it
 * before anything starts.
 */
export async function validateSettings(): Promise<ConfigResult> {
  const loaded = loadSettings();
  if (!loaded.ok) return loaded;
  const { httpsPort, agentPort, metricsPort, listen } = loaded.config;
  const found = [
    await portProblem('VANTAGE_HTTPS_PORT', httpsPort, listen),
    await portProblem('VANTAGE_AGENT_PORT', agentPort, listen),
    await portProblem('VANTAGE_METRICS_PORT', metricsPort ?? 0, '127.0.0.1'),
  ];
  const problems = found.filter((problem) => problem !== undefined);
  return problems.length === 0 ? loaded : { ok: false, problems };
}

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
