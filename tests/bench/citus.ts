// Packed days on Citus beside PostgreSQL alone, in turns in one run: results stored a second, CPU of the database for
// them, packing, bytes of packed checks by server, and reads, also while 1,000 results a second come in. With 0 workers
// the coordinator itself has the shards. All servers share the cores of this machine, so workers add no speed here: the
// coordinator's part of the CPU says what they take off it.
// Usage: node tests/bench/citus.ts [batches of each agent in a round] [seconds of each read] [workers: 0,2,4]
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock as clock, createLog } from '@vantage/kernel';
import { type Figure, printFigures, quantile } from './figures.ts';
import { type Layout, retentionDays, startLayouts } from './layouts.ts';
import { batchOf, createSenders, devicesOfSender, type Sender, startIngest } from './senders.ts';
import { weekReads } from './week-reads.ts';

const batches = Number(process.argv[2] ?? 30);
const seconds = Number(process.argv[3] ?? 1.5);
const workers = (process.argv[4] ?? '0,2,4').split(',').map(Number);
const [agents, rounds] = [4, 3];
/** Results a second that come in while the API is read. */
const meanwhilePerSecond = 1_000;

const log = createLog('bench', 'error');
const fromUs = clock.nowUs();
const kinds = weekReads(fromUs);

/** Measured of one kind of reads. */
interface Reads {
  readonly idleMs: number[];
  readonly meanwhileMs: number[];
  cpuS: number;
  coordinatorS: number;
}

/** A layout with its ingest and its figures. */
interface Subject {
  readonly layout: Layout;
  readonly senders: readonly Sender[];
  readonly accept: Awaited<ReturnType<typeof startIngest>>;
  readonly ingest: { results: number; s: number; cpuS: number; coordinatorS: number; controllerS: number };
  readonly reads: ReadonlyMap<string, Reads>;
}

async function createSubject(layout: Layout): Promise<Subject> {
  const reads = Array.from(kinds.keys(), (kind): [string, Reads] => [
    kind,
    { idleMs: [], meanwhileMs: [], cpuS: 0, coordinatorS: 0 },
  ]);
  return {
    layout,
    senders: await createSenders(layout.db, agents),
    accept: await startIngest(layout.db, { log, retentionDays }),
    ingest: { results: 0, s: 0, cpuS: 0, coordinatorS: 0, controllerS: 0 },
    reads: new Map(reads),
  };
}

/** Each agent sends batch after batch, each when the one before it is stored. */
async function send({ senders, accept }: Subject, count: number): Promise<void> {
  await Promise.all(
    senders.map(async (sender) => {
      for (let i = 0; i < count; i += 1) await accept(sender, batchOf(sender, 'TCP', clock.nowUs()));
    }),
  );
}

async function measureIngest(subject: Subject): Promise<void> {
  const { layout, ingest } = subject;
  const [cpu, own, fromMs] = [layout.cpuS(), process.cpuUsage(), performance.now()];
  await send(subject, batches);
  ingest.s += (performance.now() - fromMs) / 1000;
  const { user, system } = process.cpuUsage(own);
  const { all, coordinator } = layout.cpuS();
  ingest.results += agents * batches * devicesOfSender;
  ingest.cpuS += all - cpu.all;
  ingest.coordinatorS += coordinator - cpu.coordinator;
  ingest.controllerS += (user + system) / 1e6;
}

/** Reads one kind by one connection for some seconds. */
async function read(
  { layout: { rest, deviceIds } }: Subject,
  routeOf: (id: string) => string,
  times: number[],
): Promise<void> {
  const untilMs = performance.now() + seconds * 1000;
  for (let at = 0; performance.now() < untilMs; at += 1)
    times.push((await rest.read(routeOf(deviceIds[(at * 7) % deviceIds.length] ?? ''))).ms);
}

async function measureReads(subject: Subject): Promise<void> {
  const { layout, reads } = subject;
  for (const [kind, routeOf] of kinds) {
    const own = reads.get(kind);
    if (own === undefined) continue;
    for (let i = 0; i < 8; i += 1) await layout.rest.read(routeOf(layout.deviceIds[i] ?? '')); // statements are prepared
    const cpu = layout.cpuS();
    await read(subject, routeOf, own.idleMs);
    const { all, coordinator } = layout.cpuS();
    own.cpuS += all - cpu.all;
    own.coordinatorS += coordinator - cpu.coordinator;
  }
  const ending = new AbortController();
  const coming = comeIn(subject, ending.signal);
  for (const [kind, routeOf] of kinds) await read(subject, routeOf, reads.get(kind)?.meanwhileMs ?? []);
  ending.abort();
  await coming;
}

/** Stores this number of results a second, the agents one after the other, until the signal. */
async function comeIn({ senders, accept }: Subject, signal: AbortSignal): Promise<void> {
  for (let at = 0; !signal.aborted; at += 1) {
    const sender = senders[at % senders.length];
    const next = delay((devicesOfSender / meanwhilePerSecond) * 1000, undefined, { signal }).catch(() => {});
    if (sender !== undefined) await accept(sender, batchOf(sender, 'TCP', clock.nowUs()));
    await next;
  }
}

/** A figure of a subject. */
type Reading = readonly [what: string, unit: string, of: (subject: Subject) => number];

function readings(): readonly Reading[] {
  const perThousand = (what: string, of: (ingest: Subject['ingest']) => number): Reading => [
    `ingest: CPU ${what}`,
    'ms per 1,000',
    ({ ingest }) => (of(ingest) / ingest.results) * 1e6,
  ];
  const ofKind = (kind: string): readonly Reading[] => {
    const reading = (what: string, of: (reads: Reads) => number): Reading => [
      `${kind}: ${what}`,
      'ms',
      ({ reads }) => {
        const found = reads.get(kind);
        return found === undefined ? Number.NaN : of(found);
      },
    ];
    return [
      reading('p50', ({ idleMs }) => quantile(idleMs, 0.5)),
      reading('p50 while results come in', ({ meanwhileMs }) => quantile(meanwhileMs, 0.5)),
      reading('p99 while results come in', ({ meanwhileMs }) => quantile(meanwhileMs, 0.99)),
      reading('CPU of all servers', ({ cpuS, idleMs }) => (cpuS * 1000) / idleMs.length),
      reading('CPU of the coordinator', ({ coordinatorS, idleMs }) => (coordinatorS * 1000) / idleMs.length),
    ];
  };
  return [
    ['ingest: results stored', 'a second', ({ ingest }) => ingest.results / ingest.s],
    perThousand('of all servers', ({ cpuS }) => cpuS),
    perThousand('of the coordinator', ({ coordinatorS }) => coordinatorS),
    perThousand('of the controller', ({ controllerS }) => controllerS),
    ...Array.from(kinds.keys(), ofKind).flat(),
  ];
}

function printBeside(plain: Subject, subject: Subject): void {
  const { name, packed, packedPerS } = subject.layout;
  const others = plain.layout;
  const figures = readings().map(
    ([what, unit, of]): Figure => ({
      what,
      unit,
      ours: of(subject),
      peer: others.name,
      theirs: of(plain),
      better: unit === 'a second' ? 'more' : 'less',
    }),
  );
  const peer = others.name;
  printFigures(`History on Citus, ${name}, all servers on the cores of one machine`, [
    ...figures,
    {
      what: 'packing: days of devices',
      unit: 'a second',
      ours: packedPerS,
      peer,
      theirs: others.packedPerS,
      better: 'more',
    },
    {
      what: 'packed days',
      unit: 'bytes per check',
      ours: packed.perCheck,
      peer,
      theirs: others.packed.perCheck,
      better: 'less',
    },
    {
      what: 'packed days: largest share of a server',
      unit: '%',
      ours: (Math.max(...packed.bytes) / packed.bytes.reduce((sum, each) => sum + each, 0)) * 100,
      peer,
      theirs: 100,
      better: 'less',
    },
  ]);
}

const layouts = await startLayouts(fromUs, workers);
if (typeof layouts === 'string') process.stdout.write(`\nHistory on Citus: skipped: ${layouts}\n`);
else {
  await using _layouts = layouts;
  const subjects: Subject[] = [];
  for (const layout of layouts.all) subjects.push(await createSubject(layout));
  for (const subject of subjects) await send(subject, 10); // V8 compiles its code
  for (let round = 0; round < rounds; round += 1)
    for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
      await layouts.checkpoint();
      await measureIngest(subject);
      await layouts.checkpoint();
      await measureReads(subject);
      process.stderr.write(`${subject.layout.name}: round ${round + 1} of ${rounds}\n`);
    }
  const [plain, ...others] = subjects;
  if (plain !== undefined) for (const subject of others) printBeside(plain, subject);
}
