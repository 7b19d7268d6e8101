// An agent at a Location of its own, which reaches the controller over a bad line.
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { repositoryRoot, type System } from '../harness/system.ts';
import { startWire, type Wire } from './wire.ts';

const invitation = z.object({ token: z.string(), agent_id: z.string() });
const agents = z.array(z.object({ agent_id: z.string(), State: z.string() }));

/** The agent and its line. */
export interface FarAgent extends AsyncDisposable {
  readonly wire: Wire;
  /** Its log so far. */
  output(): string;
  /** Its State as the API shows it. */
  state(): Promise<string | undefined>;
}

/** Creates the Location and starts the agent. */
export async function startFarAgent(
  system: System,
  {
    location,
    env = {},
    host = 'localhost',
    prefix = [],
  }: {
    readonly location: string;
    readonly env?: Readonly<Record<string, string>>;
    /** The name by which it knows the controller. */
    readonly host?: string;
    /** Stands before the command. */
    readonly prefix?: readonly string[];
  },
): Promise<FarAgent> {
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-far-'));
  const { agent_endpoint, ca_file } = system.quickstart();
  const wire = await startWire(Number(new URL(agent_endpoint).port));
  if (location !== 'local') await cli(system, 'locations', 'create', location);
  const { token, agent_id } = invitation.parse(await cli(system, 'agents', 'invite', '--location', location));
  const main = path.join(repositoryRoot, 'apps/agent/src/main.ts');
  const [program, ...args] = [...prefix, process.execPath, main];
  const agent = spawn(program, args, {
    cwd: repositoryRoot,
    env: {
      PATH: process.env['PATH'],
      VANTAGE_AGENT_ENDPOINTS: `https://${host}:${wire.port}`,
      VANTAGE_AGENT_TOKEN: token,
      VANTAGE_CA_FILE: ca_file,
      VANTAGE_AGENT_DATA: path.join(folder, 'agent'),
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  agent.stderr?.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString('utf8')).slice(-500_000);
  });
  const ended = new Promise((resolve) => agent.once('exit', resolve));
  return {
    wire,
    output: () => text,
    state: async () =>
      agents.parse(await system.api.ok('GET', '/agents')).find((one) => one.agent_id === agent_id)?.State,
    async [Symbol.asyncDispose]() {
      agent.kill('SIGTERM');
      await ended;
      await wire[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Runs a command of the operator; relays of this process continue meanwhile. */
async function cli(system: System, ...args: string[]): Promise<unknown> {
  const { database_url: VANTAGE_DATABASE_URL } = system.quickstart();
  const env = { ...process.env, VANTAGE_DATA: system.dataDir, VANTAGE_DATABASE_URL };
  const argv = [...args, '--json'];
  const program = path.join(repositoryRoot, 'vantage');
  const { stdout } = await promisify(execFile)(program, argv, { cwd: repositoryRoot, env });
  return JSON.parse(stdout);
}
