import path from 'node:path';
import { settings } from '@vantage/kernel';
import type { Part } from '../part.ts';
import type { Ready } from './controller-messages.ts';

/** The operator's settings by name, and the environment in which `vantage up` runs. */
export interface Surroundings {
  readonly given: Readonly<Record<string, string>>;
  readonly env: NodeJS.ProcessEnv;
}

/** The environment of the controller. */
export function controllerEnvironment(from: Surroundings, dataDir: string): NodeJS.ProcessEnv {
  return { ...environmentOf('controller', from), VANTAGE_DATA: dataDir };
}

/**
 * The environment of the agent. Where it connects comes from the controller that serves, and never from the operator.
 */
export function agentEnvironment(from: Surroundings, dataDir: string, ready: Ready): NodeJS.ProcessEnv {
  return {
    ...environmentOf('agent', from),
    VANTAGE_AGENT_ENDPOINTS: ready.agent_endpoint,
    VANTAGE_AGENT_TOKEN: undefined,
    VANTAGE_AGENT_TOKEN_FILE: path.join(dataDir, 'agent-token'),
    VANTAGE_CA_FILE: ready.agent_ca_file,
    VANTAGE_AGENT_DATA: path.join(dataDir, 'agent'),
    VANTAGE_METRICS_PORT: agentMetricsPort(from),
  };
}

/**
 * The port after the controller's, because both programs cannot listen on one; a wrong value stays as it is, and is
 * refused.
 */
function agentMetricsPort({ given }: Surroundings): string | undefined {
  const port = given['VANTAGE_METRICS_PORT'];
  return port !== undefined && /^[1-9]\d{0,4}$/.test(port) ? String(Number(port) + 1) : port;
}

/**
 * The environment in which the agent validates its settings before the controller serves; the values that come later
 * are placeholders.
 */
export function agentPreflightEnvironment(from: Surroundings): NodeJS.ProcessEnv {
  return {
    ...environmentOf('agent', from),
    VANTAGE_AGENT_ENDPOINTS: 'https://localhost',
    VANTAGE_AGENT_TOKEN: 'unissued',
    VANTAGE_AGENT_TOKEN_FILE: undefined,
    VANTAGE_CA_FILE: undefined,
    VANTAGE_AGENT_DATA: undefined,
    VANTAGE_METRICS_PORT: agentMetricsPort(from),
  };
}

/** Our environment with the settings that this part reads and no others. */
function environmentOf(part: Part, { given, env }: Surroundings): NodeJS.ProcessEnv {
  const rest = Object.entries(env).filter(([name]) => !name.startsWith('VANTAGE_'));
  const own = Object.entries(given).filter(
    ([name]) => name !== 'VANTAGE_SETTINGS_FILE' && ['both', part].includes(settings[name]?.reader ?? ''),
  );
  return Object.fromEntries([...rest, ...own]);
}
