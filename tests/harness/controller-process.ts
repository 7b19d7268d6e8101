import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { programEnv } from '@vantage/kernel/testing';
import { repositoryRoot } from './system.ts';

/** A process of `vantage controller` alone. Disposing kills it and removes its data folder. */
export interface ControllerProcess extends AsyncDisposable {
  readonly pid: number;
  /** undefined: its roles do not need that port. */
  readonly httpsPort: number | undefined;
  readonly agentPort: number | undefined;
  /** Its authorities, PEM. */
  readonly ca: string;
  /** The log so far. */
  log(): string;
  /** Ends it without a chance to clean up. */
  kill(): Promise<void>;
}

/** Starts a controller on a database, with free ports on loopback; resolves when it serves. */
export async function startController(
  databaseUrl: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ControllerProcess> {
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-controller-'));
  const child = spawn(process.execPath, [path.join(repositoryRoot, 'apps/controller/src/main.ts')], {
    cwd: repositoryRoot,
    env: {
      ...programEnv(),
      VANTAGE_DATA: folder,
      VANTAGE_DATABASE_URL: databaseUrl,
      VANTAGE_LISTEN: '127.0.0.1',
      VANTAGE_HTTPS_PORT: '0',
      VANTAGE_AGENT_PORT: '0',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let text = '';
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const serves = new Promise<Record<string, unknown>>((resolve, reject) => {
    child.stderr?.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
      const line = text.split('\n').find((one) => one.includes('"the controller serves"'));
      if (line?.endsWith('}')) resolve(JSON.parse(line));
    });
    void ended.then(() => reject(new Error(`the controller ended:\n${text}`)));
  });
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  const portOf = (port: unknown) => (typeof port === 'number' ? port : undefined);
  try {
    const { httpsPort, agentPort } = await serves;
    return {
      pid: child.pid ?? 0,
      httpsPort: portOf(httpsPort),
      agentPort: portOf(agentPort),
      ca: readFileSync(path.join(folder, 'tls/ca.pem'), 'utf8'),
      log: () => text,
      kill,
      async [Symbol.asyncDispose]() {
        await kill();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await kill();
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}
