import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeCertificate } from '@vantage/probes/testing';
import { architectures, isHostArchitecture } from '../../agent-installer/src/architectures.ts';
import { packArchive } from '../../agent-installer/src/pack-archive.ts';
import { parcelTree } from '../../agent-installer/src/parcel-tree.ts';
import { openOld } from '../compat/programs.ts';
import { repositoryRoot } from '../harness/system.ts';
import type { GatewayCount, GatewayJob } from './gateway.ts';
import { usage } from './processes.ts';

/** An agent's program in a folder. Disposing removes it. */
export interface AgentHome extends Disposable {
  /** Starts it. */
  readonly command: readonly string[];
}

/** An agent that checks the devices of a job. */
export interface LoadedAgent extends AsyncDisposable {
  readonly pid: number;
  /** CPU seconds so far and resident MiB, of all processes of the agent. */
  usage(): ReturnType<typeof usage>;
  /** Results since the last call, as the gateway received them. */
  count(): Promise<GatewayCount>;
}

/** Packs the agent for this machine and unpacks it as the installer does. */
export async function installAgent(): Promise<AgentHome> {
  const name = process.arch === 'x64' ? 'amd64' : process.arch;
  if (!isHostArchitecture(name)) throw new Error(`there is no parcel for ${process.arch}`);
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-bench-home-'));
  const packed = await packArchive(await parcelTree(architectures[name]), 1);
  execFileSync('tar', ['-xz', '-C', folder], { input: packed });
  return {
    command: [path.join(folder, 'bin/vantage-agent'), 'run'],
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The agent of the earlier version with which this one is compared, as its users started it. */
export function earlierAgent(): AgentHome {
  const old = openOld();
  // Its own build of the addon is not among the fixtures; this addon does the same.
  const prebuilt = path.join(repositoryRoot, 'libs/icmp/prebuilt');
  cpSync(prebuilt, path.join(path.dirname(old.agent), '../prebuilt'), { recursive: true });
  return { command: [process.execPath, old.agent], [Symbol.dispose]: () => old[Symbol.dispose]() };
}

/**
 * Starts a gateway with the job, and the agent by the command that an init system runs. `wrapped` turns it into the
 * command that is started; `more` are further settings of the agent.
 */
export async function startLoadedAgent(
  home: AgentHome,
  job: Omit<GatewayJob, 'certificate' | 'token'>,
  wrapped = (command: readonly string[]): readonly string[] => command,
  more: Readonly<Record<string, string>> = {},
): Promise<LoadedAgent> {
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-bench-agent-'));
  const { cert, key } = makeCertificate();
  const token = 'bench';
  const gateway = fork(path.join(import.meta.dirname, 'gateway.ts'), { stdio: 'inherit' });
  gateway.send({ ...job, token, certificate: { cert, key } } satisfies GatewayJob);
  const [endpoint] = await once(gateway, 'message');
  const data = path.join(folder, 'data');
  mkdirSync(data);
  writeFileSync(path.join(folder, 'ca.pem'), cert);
  const settings = {
    VANTAGE_AGENT_ENDPOINTS: String(endpoint),
    VANTAGE_AGENT_TOKEN: token,
    VANTAGE_CA_FILE: path.join(folder, 'ca.pem'),
    VANTAGE_AGENT_DATA: data,
    VANTAGE_LOG_LEVEL: 'warn',
    ...more,
  };
  const file = path.join(folder, 'agent.env');
  writeFileSync(
    file,
    Object.entries(settings)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );
  const [program = '', ...args] = wrapped(home.command);
  // The earlier version knows no file of settings.
  const agent = spawn(program, args, {
    env: { PATH: process.env['PATH'], VANTAGE_SETTINGS_FILE: file, ...settings },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  await once(agent, 'spawn');
  return {
    pid: agent.pid ?? 0,
    usage: () => usageOf(agent.pid ?? 0),
    async count() {
      gateway.send('count');
      const [count] = await once(gateway, 'message');
      return count;
    },
    async [Symbol.asyncDispose]() {
      await end(agent);
      await end(gateway);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}

/** A process with all below it. */
function usageOf(pid: number): ReturnType<typeof usage> {
  return childrenOf(pid)
    .map(usageOf)
    .reduce((sum, each) => ({ cpuS: sum.cpuS + each.cpuS, rssMib: sum.rssMib + each.rssMib }), usage(pid));
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) => {
      const text = readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim();
      return text === '' ? [] : text.split(' ').map(Number);
    });
  } catch {
    return []; // the process or a thread of it ended
  }
}
