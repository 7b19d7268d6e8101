import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import path from 'node:path';
import { programEnv } from '@vantage/kernel/testing';
import { z } from 'zod';
import { repositoryRoot, type System } from './system.ts';

const vantage = path.join(repositoryRoot, 'vantage');
const invitation = z.object({ token: z.string(), agent_id: z.string() });

/** Runs an operator's command on a system and reads its JSON. It inherits no setting of Vantage. */
export function operate(system: System, ...args: string[]): unknown {
  // With a folder that is named, invitations do not make the agent's package first.
  const parcels = path.join(repositoryRoot, 'agent-installer/dist');
  const inherited = Object.entries(process.env).filter(([given]) => !given.startsWith('VANTAGE_'));
  const env = { ...Object.fromEntries(inherited), VANTAGE_PARCELS: parcels, VANTAGE_DATA: system.dataDir };
  return JSON.parse(
    execFileSync(vantage, [...args, '--json'], { encoding: 'utf8', cwd: repositoryRoot, env }),
  );
}

/** One more agent of a system. Disposing ends it. */
export interface MoreAgent extends AsyncDisposable {
  readonly process: ChildProcess;
  readonly agentId: string;
}

/** Invites an agent to a Location and starts it, with its data in the system's folder. */
export function startAgent(
  system: System,
  location: string,
  options: {
    readonly name: string;
    readonly env?: Readonly<Record<string, string>>;
    /** The answer of an invitation; default: it is invited now. */
    readonly invited?: unknown;
    /** The controller to which it connects; default: the controller of the system. */
    readonly to?: { readonly endpoint: string; readonly ca: string };
  },
): MoreAgent {
  const { token, agent_id: agentId } = invitation.parse(
    options.invited ?? operate(system, 'agents', 'invite', '--location', location),
  );
  const { agent_endpoint, ca_file } = system.quickstart();
  const child = spawn(vantage, ['agent'], {
    cwd: repositoryRoot,
    env: {
      ...programEnv(),
      VANTAGE_AGENT_ENDPOINTS: options.to?.endpoint ?? agent_endpoint,
      VANTAGE_AGENT_TOKEN: token,
      VANTAGE_CA_FILE: options.to?.ca ?? ca_file,
      VANTAGE_AGENT_DATA: path.join(system.dataDir, options.name),
      ...options.env,
    },
    stdio: 'ignore',
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    process: child,
    agentId,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
