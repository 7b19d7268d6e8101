import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@vantage/testing/free-port';
import { type Api, createApi } from './api.ts';

/** The fields of quickstart.json, which `vantage up` writes. */
interface Quickstart {
  readonly base_url: string;
  readonly ca_file: string;
  readonly api_key_uw: string;
  readonly api_key_ur: string;
  readonly agent_endpoint: string;
  readonly dashboard_url: string;
  readonly database_url: string;
  readonly pids: { readonly controller: number; readonly agent: number };
}

/** A running `vantage up`. Disposing it ends it with SIGTERM and, when it made the data folder, removes that. */
export interface System extends AsyncDisposable {
  readonly process: ChildProcess;
  readonly dataDir: string;
  /** Read afresh: pids change when the supervisor restarts something. */
  quickstart(): Quickstart;
  readonly api: Api;
  /** The output so far. */
  output(): string;
  /** Sends SIGTERM and waits for the end. Resolves with the milliseconds that the end took. */
  stop(): Promise<number>;
}

/** The repository's root. */
export const repositoryRoot = path.resolve(import.meta.dirname, '../..');

/** How a system is started. */
export interface StartOptions {
  readonly dataDir?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Stands before the command (`ip netns exec …`). */
  readonly prefix?: readonly string[];
  readonly timeoutMs?: number;
  /** Receives the output as it comes. */
  readonly onOutput?: (text: string) => void;
}

/**
 * Starts `vantage up` and waits for quickstart.json of this run. Throws with the output when the program ends early or
 * is not ready within `timeoutMs`.
 */
export async function startSystem(options: StartOptions = {}): Promise<System> {
  const dataDir = options.dataDir ?? mkdtempSync(path.join(tmpdir(), 'vantage-test-'));
  const file = path.join(dataDir, 'quickstart.json');
  rmSync(file, { force: true });
  const argv = [...(options.prefix ?? []), path.join(repositoryRoot, 'vantage'), 'up'];
  const env: NodeJS.ProcessEnv = { ...process.env };
  for (const name of Object.keys(env)) if (name.startsWith('VANTAGE_')) delete env[name];
  const child = spawn(argv[0] ?? '', argv.slice(1), {
    cwd: repositoryRoot,
    env: {
      ...env,
      VANTAGE_DATA: dataDir,
      VANTAGE_HTTPS_PORT: String(await freePort()),
      VANTAGE_AGENT_PORT: String(await freePort()),
      ...options.env,
    },
    // The program ends when this channel closes, so a killed test leaves no system behind.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let text = '';
  const keep = (chunk: Buffer) => {
    text = (text + chunk.toString('utf8')).slice(-200_000);
    options.onOutput?.(chunk.toString('utf8'));
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const deadline = performance.now() + (options.timeoutMs ?? 180_000);
  while (!existsSync(file)) {
    if (child.exitCode !== null || performance.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`vantage up did not come up (exit ${child.exitCode}):\n${text}`);
    }
    await delay(50);
  }
  const quickstart = () => JSON.parse(readFileSync(file, 'utf8')) as Quickstart;
  const first = quickstart();
  const api = createApi({ baseUrl: first.base_url, caFile: first.ca_file, key: first.api_key_uw });
  const stop = async () => {
    const from = performance.now();
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await ended;
    }
    return performance.now() - from;
  };
  return {
    process: child,
    dataDir,
    quickstart,
    api,
    output: () => text,
    stop,
    async [Symbol.asyncDispose]() {
      api.close();
      await stop();
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
