import { readFileSync } from 'node:fs';
import { portProblem } from '../server/listen-on.ts';
import { type ControllerConfigResult, loadConfig } from './controller-config.ts';

/** The settings of this process. `validateSettings` also checks the ports. */
export function loadSettings(): ControllerConfigResult {
  const { env } = process;
  return loadConfig({ env, cwd: process.cwd(), readText: (file) => readFileSync(file, 'utf8') });
}

/**
 * The settings of this process. A port in use is a fault like a wrong value, so that it is reported before the start.
 */
export async function validateSettings(): Promise<ControllerConfigResult> {
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
