// What a check costs, beside what its primitive costs in the same run: CPU of this process per 1,000 checks against
// targets in another process. The ratios mean something on any machine, the figures only beside each other.
// Prints a table, then JSON. Usage: node tests/bench/probes.ts [checks]
import { execFileSync, fork } from 'node:child_process';
import { get } from 'node:http';
import { connect } from 'node:net';
import path from 'node:path';
import { systemClock } from '@vantage/kernel';
import { createDial, probeFor, runCheck } from '@vantage/probes';
import { allowAll } from '@vantage/probes/testing';

const checks = Number(process.argv[2] ?? 5000);
const inFlight = 50;

const farm = fork(path.join(import.meta.dirname, 'http-target.ts'), { stdio: 'inherit' });
const port = await new Promise<number>((resolve) => {
  farm.once('message', (message) => resolve(Number(message)));
});

/** CPU milliseconds of this process per 1,000 rounds of `once`, and rounds a second. */
async function cost(once: () => Promise<void>): Promise<{ cpuMs: number; perSecond: number }> {
  for (let i = 0; i < 200; i += 1) await once();
  const before = process.cpuUsage();
  const from = performance.now();
  let left = checks;
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (left > 0) {
        left -= 1;
        await once();
      }
    }),
  );
  const used = process.cpuUsage(before);
  return {
    cpuMs: (used.user + used.system) / checks,
    perSecond: (checks / (performance.now() - from)) * 1000,
  };
}

const dial = createDial();
const signal = new AbortController().signal;
function look(method: 'TCP' | 'HTTP' | 'PING', url: string): () => Promise<void> {
  const probe = probeFor(method);
  const found = probe?.parseTarget(url);
  if (!probe || !found?.ok) throw new Error(`${method} cannot look at ${url}`);
  const check = {
    probe,
    target: found.target,
    options: probe.options.parse(method === 'PING' ? { Count: 1 } : {}),
    timeoutMs: 5000,
  };
  const deps = { clock: systemClock, policy: allowAll, dial, signal, random: Math.random };
  return async () => {
    const seen = await runCheck(deps, check);
    if (seen.code !== 1) throw new Error(seen.text);
  };
}

const bareConnect = () =>
  new Promise<void>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.destroy());
    socket.on('error', reject).on('close', () => resolve());
  });
const bareHttp = () =>
  new Promise<void>((resolve, reject) => {
    get({ port, host: '127.0.0.1', agent: false }, (answer) => answer.resume().on('end', resolve)).on(
      'error',
      reject,
    );
  });

/** fping's own CPU per 1,000 pings, flat out; undefined where it is missing or not allowed. */
function fpingCpuMs(): number | undefined {
  try {
    const script = `fping -q -C ${checks} -p 1 -i 1 127.0.0.1 >/dev/null 2>&1; times`;
    const children = execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split('\n')[1] ?? '';
    const seconds = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(([, m, s]) => Number(m) * 60 + Number(s));
    return (seconds.reduce((sum, each) => sum + each, 0) / checks) * 1e6;
  } catch {
    return undefined;
  }
}

const rows: {
  check: string;
  cpuMs: number;
  perSecond: number;
  peer: string;
  peerCpuMs: number | undefined;
}[] = [];
const tcp = await cost(look('TCP', `127.0.0.1:${port}`));
rows.push({
  check: 'TCP',
  ...tcp,
  peer: 'net.connect and close',
  peerCpuMs: (await cost(bareConnect)).cpuMs,
});
const http = await cost(look('HTTP', `http://127.0.0.1:${port}/`));
rows.push({
  check: 'HTTP',
  ...http,
  peer: 'node:http, new connection',
  peerCpuMs: (await cost(bareHttp)).cpuMs,
});
if (process.getuid?.() === 0) {
  const ping = await cost(look('PING', '127.0.0.1'));
  rows.push({ check: 'PING', ...ping, peer: 'fping, paced 1 ms', peerCpuMs: fpingCpuMs() });
}
farm.kill('SIGTERM');
for (const row of rows) {
  const peer =
    row.peerCpuMs === undefined
      ? 'not here'
      : `${row.peerCpuMs.toFixed(0)} ms (ratio ${(row.cpuMs / row.peerCpuMs).toFixed(1)})`;
  process.stdout.write(
    `${row.check.padEnd(5)} ${row.cpuMs.toFixed(0)} ms of CPU per 1,000, ${row.perSecond.toFixed(0)}/s | ${row.peer}: ${peer}\n`,
  );
}
process.stdout.write(`${JSON.stringify({ checks, rows })}\n`);
