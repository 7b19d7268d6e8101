// The error of ConnectTime against the stamps of packets on a wire of 20 ms, at 40 and at 1,000 checks a second. Beside it a bare socket of
// Node, which is stamped at the call and at the event `connect`. The two alternate, so other work disturbs both alike. Needs Linux and root.
// Usage: node tests/bench/connect-time.ts [seconds]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createTcpFigures } from '@vantage/icmp';
import { systemClock } from '@vantage/kernel';
import { createDial, probeFor, runCheck } from '@vantage/probes';
import { allowAll } from '@vantage/probes/testing';
import { freePort } from '../harness/free-port.ts';
import { startWire, type Wire, wireMissing } from '../real-servers/delay-wire.ts';
import { type Figure, printFigures } from './figures.ts';

const seconds = Number(process.argv[2] ?? 4);
const wireMs = 20;

/** One connect: the client's port, by which the wire knows it, and the milliseconds. */
interface Timed {
  readonly client: number;
  readonly ms: number;
}

const tcpFigures = createTcpFigures();
const signal = new AbortController().signal;

async function probe(host: string, port: number): Promise<Timed> {
  const tcp = probeFor('TCP');
  const found = tcp?.parseTarget(`${host}:${port}`);
  if (!tcp || !found?.ok) throw new Error('TCP cannot check this');
  let client = 0;
  const dial = createDial({
    tcpFigures: (socket) => {
      client = socket.localPort ?? 0;
      return tcpFigures(socket);
    },
  });
  const deps = { clock: systemClock, policy: allowAll, dial, signal, random: Math.random };
  const check = { probe: tcp, target: found.target, options: tcp.options.parse({}), timeoutMs: 20_000 };
  const { phases } = await runCheck(deps, check);
  return { client, ms: phases.connect };
}

function bare(host: string, port: number): Promise<Timed> {
  return new Promise((resolve, reject) => {
    const startMs = performance.now();
    const socket = connect({ host, port, noDelay: true, autoSelectFamily: false });
    socket.on('error', reject).once('connect', () => {
      const timed = { client: socket.localPort ?? 0, ms: performance.now() - startMs };
      socket.destroy();
      resolve(timed);
    });
  });
}

/** Connects at a rate, half of them by the probe; returns the errors of both, milliseconds, ascending. */
async function errorsAt(perSecond: number, wire: Wire, port: number) {
  const truth = new Map<number, number>();
  using _talks = wire.talks(
    port,
    ({ client = 0, startMs, openMs }) => void truth.set(client, openMs - startMs),
  );
  const runs = { ours: [] as Promise<Timed>[], theirs: [] as Promise<Timed>[] };
  const startMs = performance.now();
  for (let made = 0; made < perSecond * seconds; ) {
    const due = ((performance.now() - startMs) / 1000) * perSecond;
    for (; made < due; made += 1) {
      if (made % 2 === 0) runs.ours.push(probe(wire.far.v4, port));
      else runs.theirs.push(bare(wire.far.v4, port));
    }
    await delay(1);
  }
  const all = { ours: await Promise.all(runs.ours), theirs: await Promise.all(runs.theirs) };
  const wanted = all.ours.length + all.theirs.length;
  for (let waited = 0; truth.size < wanted && waited < 5000; waited += 50) await delay(50);
  const errors = (timed: readonly Timed[]) =>
    timed
      .map(({ client, ms }) => Math.abs(ms - (truth.get(client) ?? Number.NaN)))
      .filter((ms) => !Number.isNaN(ms))
      .toSorted((a, b) => a - b);
  return { ours: errors(all.ours), theirs: errors(all.theirs) };
}

async function main(): Promise<void> {
  const missing = wireMissing();
  if (missing !== undefined) return void process.stdout.write(`ConnectTime skipped: ${missing}\n`);
  await using wire = await startWire();
  await wire.delay(wireMs);
  const port = await freePort();
  const target = fork(path.join(import.meta.dirname, 'accept.ts'), [wire.near[0] ?? '', String(port)]);
  await once(target, 'message');
  const figures: Figure[] = [];
  for (const perSecond of [40, 1000]) {
    const { ours, theirs } = await errorsAt(perSecond, wire, port);
    for (const [name, share] of [
      ['p50', 0.5],
      ['p99', 0.99],
    ] as const) {
      const of = (errors: readonly number[]) => errors[Math.floor(errors.length * share)] ?? Number.NaN;
      const what = `error at ${perSecond}/s, ${name} of ${ours.length}`;
      figures.push({
        what,
        unit: 'ms',
        ours: of(ours),
        peer: 'bare socket of Node',
        theirs: of(theirs),
        better: 'less',
      });
    }
  }
  target.disconnect();
  printFigures(`How exact ConnectTime is, over a wire of ${wireMs} ms`, figures);
}

await main();
