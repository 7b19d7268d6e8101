import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { programEnv } from '@vantage/kernel/testing';
import { freePort } from '@vantage/testing/free-port';
import { z } from 'zod';
import { repositoryRoot } from '../harness/system.ts';
import { filesSchema, unpackText, writeFolder } from './archive.ts';

/** The folder with the fixtures of the earlier version. */
export const fixtures = path.join(import.meta.dirname, 'fixtures/87d113c');

/** The programs of one version: their files. */
export interface Programs extends Disposable {
  readonly controller: string;
  readonly agent: string;
  /** The controller's migrations; undefined for this version, whose controller runs its own. */
  readonly migrations?: string;
}

/** The programs of this checkout. */
export const present: Programs = {
  controller: path.join(repositoryRoot, 'apps/controller/src/main.ts'),
  agent: path.join(repositoryRoot, 'apps/agent/src/main.ts'),
  [Symbol.dispose]() {},
};

/** Unpacks the programs of the earlier version. Disposing removes them. */
export function openOld(): Required<Programs> {
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-old-'));
  writeFolder(folder, filesSchema.parse(JSON.parse(unpackText(path.join(fixtures, 'programs.json.br')))));
  return {
    controller: path.join(folder, 'controller/main.mjs'),
    agent: path.join(folder, 'agent/agent.mjs'),
    migrations: path.join(folder, 'controller/migrations'),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A running program. Disposing ends it with SIGTERM. */
export interface Running extends AsyncDisposable {
  readonly process: ChildProcess;
  /** The log so far. */
  output(): string;
}

const ready = z.object({
  type: z.literal('ready'),
  base_url: z.string(),
  ca_file: z.string(),
  agent_endpoint: z.string(),
  agent_ca_file: z.string(),
});

/** A running controller that accepts requests. */
export interface RunningController extends Running {
  readonly baseUrl: string;
  readonly caFile: string;
  readonly endpoint: string;
}

/** Ports that stay the same when a controller is started again. */
export interface ControllerPorts {
  readonly https: number;
  readonly agents: number;
}

/** Chooses two free ports. */
export async function controllerPorts(): Promise<ControllerPorts> {
  return { https: await freePort(), agents: await freePort() };
}

/** Starts a controller on a database and waits until it serves. Throws with its log when it ends earlier. */
export async function startController(deps: {
  readonly program: string;
  readonly databaseUrl: string;
  readonly dataDir: string;
  readonly ports: ControllerPorts;
  readonly env?: Readonly<Record<string, string>>;
}): Promise<RunningController> {
  const running = start(deps.program, {
    VANTAGE_DATA: deps.dataDir,
    VANTAGE_DATABASE_URL: deps.databaseUrl,
    VANTAGE_HTTPS_PORT: String(deps.ports.https),
    VANTAGE_AGENT_PORT: String(deps.ports.agents),
    VANTAGE_LISTEN: '127.0.0.1',
    ...deps.env,
  });
  const said = await new Promise<z.infer<typeof ready>>((resolve, reject) => {
    running.process.on('message', (message) => {
      const { data } = ready.safeParse(message);
      if (data) resolve(data);
    });
    running.process.once('exit', (code) =>
      reject(new Error(`the controller ended with ${code}:\n${running.output()}`)),
    );
  });
  return { ...running, baseUrl: said.base_url, caFile: said.agent_ca_file, endpoint: said.agent_endpoint };
}

/** Starts an agent of a controller. */
export function startAgent(deps: {
  readonly program: string;
  readonly endpoint: string;
  readonly caFile: string;
  readonly token: string;
  readonly dataDir: string;
  readonly env?: Readonly<Record<string, string>>;
}): Running {
  return start(deps.program, {
    VANTAGE_AGENT_ENDPOINTS: deps.endpoint,
    VANTAGE_AGENT_TOKEN: deps.token,
    VANTAGE_CA_FILE: deps.caFile,
    VANTAGE_AGENT_DATA: deps.dataDir,
    ...deps.env,
  });
}

function start(program: string, env: Readonly<Record<string, string>>): Running {
  const child = spawn(process.execPath, [program], {
    cwd: path.dirname(program),
    env: {
      PATH: process.env['PATH'],
      // The earlier version lies in a folder of its own each time, which has no compiled code.
      ...(program.startsWith(repositoryRoot) && programEnv()),
      ...env,
    },
    // The program ends when this channel closes, so a killed test leaves no program behind.
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let text = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString('utf8')).slice(-200_000);
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    process: child,
    output: () => text,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
