// The cost of a check, compared with its bare primitive and with blackbox_exporter in the same run: CPU per 1,000
// checks of targets in separate processes. docs/bench.md explains the figures. Usage: node tests/bench/probes.ts
// [checks]

import { execFileSync } from 'node:child_process';
import { Resolver } from 'node:dns/promises';
import { get } from 'node:http';
import { connect } from 'node:net';
import type { Method } from '@vantage/domain';
import { systemClock } from '@vantage/kernel';
import { createDial, probeFor, runCheck } from '@vantage/probes';
import { allowAll } from '@vantage/probes/testing';
import { type Module, startBlackbox } from './blackbox.ts';
import { type Figure, printFigures } from './figures.ts';
import { startTargets } from './targets.ts';

const checks = Number(process.argv[2] ?? 5000);
const inFlight = 50;

await using targets = await startTargets();
const port = targets.webPort;

/** CPU milliseconds of this process per 1,000 rounds of `once`, and rounds a second. */
async function cost(once: () => Promise<unknown>): Promise<number> {
  for (let i = 0; i < 200; i += 1) await once();
  const before = process.cpuUsage();
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
  return (used.user + used.system) / checks;
}

const dial = createDial();
const signal = new AbortController().signal;
function look(method: Method, url: string): () => Promise<void> {
  const probe = probeFor(method);
  const found = probe?.parseTarget(url);
  if (!probe || !found?.ok) throw new Error(`${method} cannot check ${url}`);
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

/** The CPU of fping per 1,000 pings, one a millisecond; the reason where it is missing or not allowed. */
function fpingCpuMs(): number | string {
  try {
    const script = `fping -q -C ${checks} -p 1 -i 1 127.0.0.1 >/dev/null 2>&1; times`;
    const children = execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split('\n')[1] ?? '';
    const seconds = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(([, m, s]) => Number(m) * 60 + Number(s));
    const total = seconds.reduce((sum, each) => sum + each, 0);
    return total > 0 ? (total / checks) * 1e6 : 'skipped: fping is not installed';
  } catch {
    return 'skipped: fping does not run here';
  }
}

const blackbox = await startBlackbox();
await using _ended = typeof blackbox === 'string' ? undefined : blackbox;
const figures: Figure[] = [];
const unit = 'ms CPU per 1,000';
const better = 'less';

/** The cost of one check with the cost of its primitive and of the exporter. */
async function compare(
  what: Method,
  url: string,
  primitive: readonly [string, () => Promise<number | string> | number | string],
  exporter: readonly [Module, string],
): Promise<void> {
  const ours = await cost(look(what, url));
  const [peer, measure] = primitive;
  figures.push({ what, unit, ours, peer, theirs: await measure(), better });
  const theirs = typeof blackbox === 'string' ? blackbox : await blackbox.cpuMs(...exporter, checks);
  figures.push({ what, unit, ours, peer: 'blackbox_exporter', theirs, better });
}

const at = `127.0.0.1:${port}`;
await compare('TCP', at, ['net.connect and close', () => cost(bareConnect)], ['tcp', at]);
const page = `http://${at}/`;
await compare(
  'HTTP',
  page,
  [`node:http, new connection, ${targets.web}`, () => cost(bareHttp)],
  ['http', page],
);
if (typeof targets.dnsPort === 'number') {
  const server = `127.0.0.1:${targets.dnsPort}`;
  const resolver = new Resolver();
  resolver.setServers([server]);
  const bare = ['c-ares, one query', () => cost(() => resolver.resolve4('bench.test'))] as const;
  await compare('DNS', `dns://${server}/bench.test?type=A`, bare, ['dns', server]);
} else {
  process.stdout.write(`DNS ${targets.dnsPort}\n`);
}
if (process.getuid?.() === 0) {
  await compare('PING', '127.0.0.1', ['fping, one a millisecond', fpingCpuMs], ['icmp', '127.0.0.1']);
} else {
  process.stdout.write('PING skipped: real pings need root\n');
}
printFigures('What a check costs', figures);
