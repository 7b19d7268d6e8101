// The error of ConnectTime and TTFB of the whole agent against the stamps of packets on a wire of 20 ms, at 40 and at
// 1,000 checks a second. Beside it bare sockets of Node at the same time, in a process that does little else, and the
// agent of an earlier version in turns. Needs Linux and root. Usage: node tests/bench/exact-times.ts [seconds]
import { setTimeout as delay } from 'node:timers/promises';
import { type BareTimes, bareTimes } from '../real-servers/accuracy-control.ts';
import { type Manner, type Talk, truthOf } from '../real-servers/delay-talk.ts';
import { startWire, type Wire, wireMissing } from '../real-servers/delay-wire.ts';
import { startWireServer, type WireServerKind } from '../real-servers/wire-server.ts';
import { type AgentHome, earlierAgent, installAgent, startLoadedAgent } from './agent-process.ts';
import { type Figure, printFigures } from './figures.ts';
import type { GatewayJob } from './gateway.ts';

const seconds = Number(process.argv[2] ?? 10);
const wireMs = 20;
const warmUpMs = 6000;
/** The port of the bare sockets. The ports of the devices follow. */
const firstPort = 20_000;
/** The interval of each device. */
const intervalMs = 1000;
/** Bare sockets a second, at the same time as the agent. */
const barePerSecond = 20;

type Timed = 'connect' | 'ttfb';

/** Checks of one Method, and what a bare socket does instead. */
interface Subject extends Pick<GatewayJob, 'method' | 'url'> {
  readonly name: string;
  readonly kind: WireServerKind;
  readonly family: 4 | 6;
  readonly manner: Manner;
  readonly phases: readonly Timed[];
  readonly request?: string;
}

/** Errors of each phase, milliseconds, ascending. */
type Errors = Readonly<Record<Timed, readonly number[]>>;

function subjectsOf({ far }: Wire): readonly Subject[] {
  const [v4, v6] = [far.v4, `[${far.v6}]`];
  const client = { speaksFirst: 'client' } as const;
  const request = 'GET / HTTP/1.1\r\nHost: bench.test\r\n\r\n';
  return [
    {
      name: 'TCP',
      method: 'TCP',
      kind: 'silent',
      family: 4,
      url: `${v4}:{port}`,
      manner: client,
      phases: ['connect'],
    },
    {
      name: 'TCP over IPv6',
      method: 'TCP',
      kind: 'silent',
      family: 6,
      url: `${v6}:{port}`,
      manner: client,
      phases: ['connect'],
    },
    {
      name: 'HTTP',
      method: 'HTTP',
      kind: 'web',
      family: 4,
      url: `http://${v4}:{port}/`,
      manner: client,
      phases: ['connect', 'ttfb'],
      request,
    },
    {
      name: 'NNTP',
      method: 'NNTP',
      kind: 'news',
      family: 4,
      url: `${v4}:{port}`,
      manner: { speaksFirst: 'server', quits: true },
      phases: ['connect', 'ttfb'],
    },
  ];
}

/** Milliseconds of the clock of the wire's stamps. */
const wireClockMs = () => Number(process.hrtime.bigint()) / 1e6;

/** Runs bare sockets for a while; resolves with their errors. */
async function bareErrors(subject: Subject, host: string, talks: ReadonlyMap<number, Talk[]>, forMs: number) {
  const runs: Promise<BareTimes>[] = [];
  const { request, phases } = subject;
  const way = { host, port: firstPort, request, isAnswered: phases.includes('ttfb') };
  const endMs = performance.now() + forMs;
  while (performance.now() < endMs) {
    runs.push(bareTimes(way));
    await delay(1000 / barePerSecond);
  }
  const made = await Promise.all(runs);
  await delay(500);
  const byClient = new Map((talks.get(firstPort) ?? []).map((talk) => [talk.client, talk]));
  return errorsOf(
    subject,
    made.map(({ client, ...seen }) => ({ seen, talk: byClient.get(client) })),
  );
}

function errorsOf(
  { manner, phases }: Subject,
  pairs: readonly { readonly seen: Readonly<Record<Timed, number>>; readonly talk: Talk | undefined }[],
): Errors {
  const of = (phase: Timed) =>
    phases.includes(phase)
      ? pairs
          .map(({ seen, talk }) =>
            talk === undefined ? Number.NaN : seen[phase] - (truthOf(talk, manner)[phase] ?? Number.NaN),
          )
          .map(Math.abs)
          .filter((ms) => !Number.isNaN(ms))
          .toSorted((a, b) => a - b)
      : [];
  return { connect: of('connect'), ttfb: of('ttfb') };
}

/** Runs an agent over the wire; resolves with its errors and those of bare sockets at the same time. */
async function measure(home: AgentHome, subject: Subject, wire: Wire, perSecond: number) {
  const { method, url, family } = subject;
  const talks = new Map<number, Talk[]>();
  const add = (talk: Talk) => void talks.set(talk.port, [...(talks.get(talk.port) ?? []), talk]);
  using _talks = wire.talks(add);
  const job = {
    method,
    url,
    portBefore: firstPort,
    options: {},
    devices: perSecond,
    intervalMs,
    phases: true,
  } as const;
  await using agent = await startLoadedAgent(home, job);
  await delay(warmUpMs);
  await agent.count();
  talks.clear();
  const minIntervalMs = Date.now() - wireClockMs();
  const theirs = await bareErrors(subject, family === 4 ? wire.far.v4 : wire.far.v6, talks, seconds * 1000);
  await delay(2000);
  const { results, good, text, phases } = await agent.count();
  if (good < results || results === 0) throw new Error(`${good} of ${results} checks are good: ${text}`);
  const pairs = phases.map(({ deviceNo, startMs, ...seen }) => {
    const nearest = (talks.get(firstPort + deviceNo) ?? []).find(
      (talk) => Math.abs(talk.startMs + minIntervalMs - startMs) < intervalMs / 2,
    );
    return { seen, talk: nearest };
  });
  return { ours: errorsOf(subject, pairs), theirs, perSecond: Math.round(results / (seconds + 2)) };
}

async function figuresAt(perSecond: number, subject: Subject, wire: Wire, homes: readonly AgentHome[]) {
  const host = wire.near[subject.family === 4 ? 0 : 1] ?? '';
  await using _server = await startWireServer(host, firstPort, perSecond + 1, subject.kind);
  const measured = [];
  for (const home of homes) measured.push(await measure(home, subject, wire, perSecond));
  const [ours, before] = measured;
  const figures: Figure[] = [];
  for (const phase of subject.phases)
    for (const [name, share] of [
      ['p50', 0.5],
      ['p99', 0.99],
    ] as const) {
      const of = (errors?: readonly number[]) => errors?.[Math.floor(errors.length * share)] ?? Number.NaN;
      const title = phase === 'connect' ? 'ConnectTime' : 'TTFB';
      figures.push({
        what: `${title} of ${subject.name}, ${name} at ${perSecond}/s`,
        unit: 'ms',
        better: 'less',
        ours: of(ours?.ours[phase]),
        before: of(before?.ours[phase]),
        peer: 'bare socket of Node',
        theirs: of(ours?.theirs[phase]),
      });
    }
  const counts = measured.map(
    ({ ours: { connect: errors }, perSecond: rate }) => `${errors.length} at ${rate}/s`,
  );
  process.stdout.write(`${subject.name}: ${counts.join(', before ')}\n`);
  return figures;
}

async function main(): Promise<void> {
  const missing = wireMissing();
  if (missing !== undefined) return void process.stdout.write(`Times skipped: ${missing}\n`);
  await using wire = await startWire();
  await wire.delay(wireMs);
  using home = await installAgent();
  using before = earlierAgent();
  const figures: Figure[] = [];
  for (const perSecond of [40, 1000])
    for (const subject of subjectsOf(wire))
      figures.push(...(await figuresAt(perSecond, subject, wire, [home, before])));
  printFigures(`Errors of times over a wire of ${wireMs} ms`, figures);
}

await main();
