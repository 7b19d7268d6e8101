import path from 'node:path';
import { settings } from '@vantage/kernel';
import type { SystemPart } from '../program-part.ts';
import type { Ready } from './controller-messages.ts';

/** The operator's settings by name, and the environment of `vantage up`. */
export interface PartContext {
  readonly given: Readonly<Record<string, string>>;
  readonly env: NodeJS.ProcessEnv;
}

export function controllerEnvironment(from: PartContext, dataDir: string): NodeJS.ProcessEnv {
  return { ...environmentOf('controller', from), VANTAGE_DATA: dataDir };
}

/** The agent connects to the running controller, whatever the operator's settings say. */
export function agentEnvironment(from: PartContext, dataDir: string, ready: Ready): NodeJS.ProcessEnv {
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

/** The port after the controller's metrics port. A wrong value stays, so that the agent rejects it. */
function agentMetricsPort({ given }: PartContext): string | undefined {
  const port = given['VANTAGE_METRICS_PORT'];
  return port !== undefined && /^[1-9]\d{0,4}$/.test(port) ? String(Number(port) + 1) : port;
}

/** The environment for the validation of the agent's settings, with placeholders for values that come later. */
export function agentPreflightEnvironment(from: PartContext): NodeJS.ProcessEnv {
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

/** Our environment with only the settings that the part reads. */
function environmentOf(part: SystemPart, { given, env }: PartContext): NodeJS.ProcessEnv {
  const rest = Object.entries(env).filter(([name]) => !name.startsWith('VANTAGE_'));
  const partSettings = Object.entries(given).filter(
    ([name]) => name !== 'VANTAGE_SETTINGS_FILE' && ['both', part].includes(settings[name]?.reader ?? ''),
  );
  return Object.fromEntries([...rest, ...partSettings]);
}
