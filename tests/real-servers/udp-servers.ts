// Servers over UDP: their start is seen by the kernel's table of sockets, because a connect would not tell.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@vantage/testing/free-port';

export { packages, serversMissing } from './servers-fixture.ts';

export interface UdpServer extends AsyncDisposable {
  readonly port: number;
}

const startTries = 1200;

/** Starts a command on a free port of UDP and waits until it listens there. Ends it with SIGTERM, then SIGKILL. */
export async function startUdp(
  commandFor: (port: number) => readonly [program: string, ...args: string[]],
): Promise<UdpServer> {
  const port = await freePort();
  const [program, ...args] = commandFor(port);
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], cwd: '/', detached: true });
  let text = '';
  const keep = (chunk: Buffer) => {
    text = (text + chunk.toString('utf8')).slice(-4000);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  for (let tries = 0; !listens(port); tries += 1) {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}: ${text}`);
    if (tries === startTries) throw new Error(`${program} does not listen on ${port}: ${text}`);
    await delay(50);
  }
  return {
    port,
    async [Symbol.asyncDispose]() {
      const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
        if (child.exitCode !== null || child.signalCode !== null) return;
        process.kill(-(child.pid ?? 0), signal);
        await Promise.race([ended, delay(2000)]);
      }
    },
  };
}

/** Whether a socket of UDP over IPv4 is bound to this port. */
function listens(port: number): boolean {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  return readFileSync('/proc/net/udp', 'utf8')
    .split('\n')
    .some((line) => line.trim().split(/\s+/)[1]?.endsWith(`:${hex}`));
}
