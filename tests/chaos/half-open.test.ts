// A half-open link in real time: both connections stay open, and no packet passes. Agent and gateway each notice it within 30 s.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { repositoryRoot, type System, startSystem } from '../harness/system.ts';

const noticedWithinMs = 30_000;
const invitation = z.object({ token: z.string(), agent_id: z.string() });
const agents = z.array(z.object({ agent_id: z.string(), State: z.string() }));

test('agent and gateway notice a half-open link within 30 s, and the agent reconnects when packets pass again', {
  timeout: 300_000,
}, async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-half-open-'));
  await using system = await startSystem({ timeoutMs: 120_000 });
  const { agent_endpoint, ca_file } = system.quickstart();
  await using wire = await startWire(Number(new URL(agent_endpoint).port));
  const { token, agent_id } = invitation.parse(cli(system, 'agents', 'invite', '--location', 'local'));
  const agent = spawn(process.execPath, [path.join(repositoryRoot, 'apps/agent/src/main.ts')], {
    cwd: repositoryRoot,
    env: {
      PATH: process.env['PATH'],
      VANTAGE_AGENT_ENDPOINTS: `https://localhost:${wire.port}`,
      VANTAGE_AGENT_TOKEN: token,
      VANTAGE_CA_FILE: ca_file,
      VANTAGE_AGENT_DATA: path.join(folder, 'agent'),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    const lines = logOf(agent);
    const state = async () =>
      agents.parse(await system.api.ok('GET', '/agents')).find((one) => one.agent_id === agent_id)?.State;
    const until = async (holds: () => boolean | Promise<boolean>, withinMs: number) => {
      const from = performance.now();
      while (!(await holds()) && performance.now() - from < withinMs) await delay(100);
      return performance.now() - from;
    };
    await until(async () => (await state()) === 'Connected', 60_000);
    await delay(12_000);
    wire.frozen = true;
    const [agentMs, gatewayMs] = await Promise.all([
      until(() => lines.some((line) => line.includes('no connection')), 60_000),
      until(async () => (await state()) !== 'Connected', 60_000),
    ]);
    process.stdout.write(
      `half-open: agent ${Math.round(agentMs / 100) / 10} s, gateway ${Math.round(gatewayMs / 100) / 10} s\n`,
    );
    expect(agentMs).toBeLessThanOrEqual(noticedWithinMs);
    expect(gatewayMs).toBeLessThanOrEqual(noticedWithinMs);
    wire.frozen = false;
    expect(await until(async () => (await state()) === 'Connected', 90_000)).toBeLessThan(90_000);
  } finally {
    agent.kill('SIGTERM');
    await new Promise((resolve) => agent.once('exit', resolve));
    rmSync(folder, { recursive: true, force: true });
  }
});

interface Wire extends AsyncDisposable {
  readonly port: number;
  /** No byte passes in either direction, and no end of a connection either. */
  frozen: boolean;
}

async function startWire(upstreamPort: number): Promise<Wire> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let frozen = false;
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ port: upstreamPort, host: 'localhost', allowHalfOpen: true });
    const pair = [near, far] as const;
    pairs.add(pair);
    carry(near, far);
    carry(far, near);
    if (frozen) for (const end of pair) end.pause();
  });
  const carry = (from: Socket, to: Socket) => {
    from.on('data', (bytes) => {
      if (!frozen) to.write(bytes);
    });
    from.on('end', () => {
      if (!frozen) to.end();
    });
    from.on('error', () => {
      if (!frozen) to.destroy();
    });
  };
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const address = server.address();
  return {
    port: address !== null && typeof address === 'object' ? address.port : 0,
    get frozen() {
      return frozen;
    },
    set frozen(value) {
      frozen = value;
      // Connections that were open while frozen lost bytes, so they end now.
      if (!value) for (const pair of pairs) for (const end of pair) end.destroy();
      for (const pair of pairs) for (const end of pair) if (value) end.pause();
    },
    async [Symbol.asyncDispose]() {
      for (const pair of pairs) for (const end of pair) end.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function logOf(child: ChildProcess): string[] {
  const lines: string[] = [];
  child.stderr?.on('data', (chunk: Buffer) => lines.push(...chunk.toString('utf8').split('\n')));
  return lines;
}

function cli(system: System, ...args: string[]): unknown {
  const env = { ...process.env, VANTAGE_DATA: system.dataDir };
  const argv = [...args, '--json'];
  return JSON.parse(
    execFileSync(path.join(repositoryRoot, 'vantage'), argv, { encoding: 'utf8', cwd: repositoryRoot, env }),
  );
}
