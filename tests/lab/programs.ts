import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { freePort } from '@vantage/testing/free-port';
import { z } from 'zod';
import { createApi } from '../harness/api.ts';
import { repositoryRoot, type System } from '../harness/system.ts';
import { addresses, deviceCount, type Network } from './network.ts';

const invitation = z.object({ token: z.string() });
const controllerMain = path.join(repositoryRoot, 'apps/controller/src/main.ts');
const agentMain = path.join(repositoryRoot, 'apps/agent/src/main.ts');

/** A program that a scene can kill, freeze and start again. */
export interface Program extends AsyncDisposable {
  start(): void;
  /** SIGKILL, and resolves when the process is gone. */
  kill(): Promise<void>;
  /** SIGSTOP and SIGCONT. */
  freeze(): void;
  resume(): void;
}

/** Starts a program by `launch`. Disposing kills it. */
function createProgram(launch: () => ChildProcess): Program {
  let child: ChildProcess | undefined;
  const kill = async () => {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    const ended = once(running, 'exit');
    running.kill('SIGCONT');
    running.kill('SIGKILL');
    await ended;
  };
  const start = () => {
    child = launch();
  };
  start();
  return {
    start,
    kill,
    freeze: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    [Symbol.asyncDispose]: kill,
  };
}

/** The variables of libfaketime that this process has, for its children. */
function clockVariables(): Record<string, string> {
  const names = ['LD_PRELOAD', 'FAKETIME', 'FAKETIME_DONT_FAKE_MONOTONIC', 'DONT_FAKE_MONOTONIC'];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

/** One more controller on the system's database, with its CA and its key for secrets. It runs with the first one. */
export async function startController(
  system: System,
  env: Readonly<Record<string, string>>,
): Promise<{
  readonly program: Program;
  readonly endpoint: string;
  readonly baseUrl: string;
  /** Whether both controllers answer, and are ready to work. */
  readonly areBothReady: () => Promise<boolean>;
}> {
  const [https, agents] = [await freePort(), await freePort()];
  const folder = path.join(system.dataDir, 'second');
  mkdirSync(folder, { recursive: true });
  cpSync(path.join(system.dataDir, 'tls'), path.join(folder, 'tls'), { recursive: true });
  const program = createProgram(() =>
    spawn(process.execPath, [controllerMain], {
      cwd: repositoryRoot,
      env: {
        PATH: process.env['PATH'],
        ...clockVariables(),
        ...env,
        VANTAGE_DATA: folder,
        VANTAGE_DATABASE_URL: system.quickstart().database_url,
        VANTAGE_SECRET_KEY_FILE: path.join(system.dataDir, 'secret.key'),
        VANTAGE_HTTPS_PORT: String(https),
        VANTAGE_AGENT_PORT: String(agents),
      },
      stdio: ['ignore', 'ignore', process.env['LAB_VERBOSE'] ? 'inherit' : 'ignore'],
    }),
  );
  const caFile = system.quickstart().ca_file;
  const isReady = async (outerUrl: string) => {
    const api = createApi({ baseUrl: outerUrl, caFile });
    try {
      return (await api.call('GET', '/readyz')).status === 200;
    } finally {
      api.close();
    }
  };
  return {
    program,
    endpoint: `https://${addresses.controllers}:${agents}`,
    baseUrl: `https://localhost:${https}/v1.1`,
    areBothReady: async () =>
      (await isReady(`https://localhost:${https}`)) &&
      (await isReady(new URL(system.quickstart().base_url).origin)),
  };
}

/**
 * Invites an agent to a Location and starts it on a host of the lab. `endpoints`: the controllers, the preferred one
 * first.
 */
export async function startLabAgent(
  system: System,
  options: {
    readonly network: Network;
    readonly host: 'a' | 'b';
    readonly location: string;
    readonly endpoints: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  },
): Promise<Program> {
  const { network, host, location, endpoints, env } = options;
  const { stdout } = await promisify(execFile)(
    path.join(repositoryRoot, 'vantage'),
    ['agents', 'invite', '--location', location, '--json'],
    { cwd: repositoryRoot, env: { ...process.env, VANTAGE_DATA: system.dataDir } },
  );
  const { token } = invitation.parse(JSON.parse(stdout));
  return createProgram(() =>
    spawn('ip', network.on(host, process.execPath, agentMain), {
      cwd: repositoryRoot,
      env: {
        PATH: process.env['PATH'],
        ...clockVariables(),
        ...env,
        VANTAGE_AGENT_ENDPOINTS: endpoints.join(','),
        VANTAGE_AGENT_TOKEN: token,
        VANTAGE_CA_FILE: system.quickstart().ca_file,
        VANTAGE_AGENT_DATA: path.join(system.dataDir, `agent-${host}`),
      },
      stdio: ['ignore', 'ignore', process.env['LAB_VERBOSE'] ? 'inherit' : 'ignore'],
    }),
  );
}

/** The targets of the lab. */
export interface Targets extends Disposable {
  /** The device at the site refuses connections. */
  stop(device: number): void;
  start(device: number): void;
  /** A device on the agent's own host at A refuses connections. */
  stopHome(device: number): void;
  startHome(device: number): void;
}

/** Starts the devices of the site, those on the host of A's agent and the web server, and waits until they answer. */
export async function startTargets(network: Network): Promise<Targets> {
  const script = (name: string) => path.join(import.meta.dirname, name);
  const all = Array.from({ length: deviceCount }, (_, i) => addresses.device(i));
  const site = spawn('ip', network.on('site', process.execPath, script('device-host.ts'), ...all), {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const homes = spawn('ip', network.on('a', process.execPath, script('device-host.ts'), ...addresses.homes), {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const web = spawn('ip', network.on('w', process.execPath, script('web-host.ts'), addresses.web), {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await Promise.all(
    [site, homes, web].map((child) => once(createInterface({ input: child.stdout }), 'line')),
  );
  const send = (line: string) => void site.stdin.write(`${line}\n`);
  return {
    stop: (device) => send(`stop ${device}`),
    start: (device) => send(`start ${device}`),
    stopHome: (device) => void homes.stdin.write(`stop ${device}\n`),
    startHome: (device) => void homes.stdin.write(`start ${device}\n`),
    [Symbol.dispose]() {
      site.stdin.end();
      homes.stdin.end();
      web.stdin.end();
    },
  };
}
