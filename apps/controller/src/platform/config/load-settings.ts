import { readFileSync } from 'node:fs';
import { portProblem } from '../server/listen-on.ts';
import { type ConfigResult, loadConfig } from './config.ts';

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
