// Creating 1,000 paused devices by POST /batch, by one atomic batch, and by 1,000 requests of their own (one after the
// other, and 8 at a time). All ways run on one system; with several rounds, the figures are the medians. Usage: node
// tests/bench/batch.ts [devices] [rounds]
import { startSystem } from '../harness/system.ts';
import { printFigures } from './figures.ts';
import { postgresPids, usage } from './processes.ts';

const devices = Number(process.argv[2] ?? 1_000);
const rounds = Number(process.argv[3] ?? 1);

const before = new Set(postgresPids());
await using system = await startSystem({ timeoutMs: 180_000 });
const { pids } = system.quickstart();
/** Without a Location: the check for an overloaded one costs more with each device that it has. */
const body = (n: number) => ({
  Method: 'TCP',
  URL: `192.0.2.1:${1 + (n % 60_000)}`,
  ShortName: `d${n}`,
  Enabled: false,
  Locations: [],
});
const numbers = Array.from({ length: devices }, (_, n) => n);
const create = (n: number) => system.api.ok('POST', '/devices', body(n));
const batch = (Atomic: boolean) => async () => {
  for (let from = 0; from < devices; from += 1_000)
    await system.api.ok('POST', '/batch', {
      Atomic,
      Operations: numbers
        .slice(from, from + 1_000)
        .map((n) => ({ Method: 'POST', Path: '/devices', Body: body(n) })),
    });
};
const ways: Readonly<Record<'single' | 'parallel' | 'batch' | 'atomic', () => Promise<unknown>>> = {
  async single() {
    for (const n of numbers) await create(n);
  },
  async parallel() {
    await Promise.all(
      Array.from({ length: 8 }, async (_, client) => {
        for (const n of numbers.filter((each) => each % 8 === client)) await create(n);
      }),
    );
  },
  batch: batch(false),
  atomic: batch(true),
};

/** CPU seconds of the controller and its database. */
const cpuS = () =>
  [pids.controller, ...postgresPids().filter((pid) => !before.has(pid))].reduce(
    (sum, pid) => sum + usage(pid).cpuS,
    0,
  );
const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
const measured = new Map<string, { seconds: number[]; cpu: number[]; failed?: string }>();
for (let round = 0; round < rounds; round += 1)
  for (const [name, way] of Object.entries(ways)) {
    const of = measured.get(name) ?? { seconds: [], cpu: [] };
    measured.set(name, of);
    const [from, cpuFrom] = [performance.now(), cpuS()];
    try {
      await way();
      of.seconds.push((performance.now() - from) / 1000);
      of.cpu.push(cpuS() - cpuFrom);
    } catch (error) {
      of.failed = String(error).slice(0, 200); // an atomic batch that needs over 5 s is rolled back
    }
  }
const figure = (name: string, peer: string, kind: 'seconds' | 'cpu') => {
  const [ours, theirs] = [measured.get(name), measured.get(peer)];
  return {
    what: `${devices} devices, ${name}: ${kind === 'cpu' ? 'CPU of controller and database' : 'time'}`,
    unit: 's',
    ours: median(ours?.[kind] ?? []),
    peer: `${peer} requests`,
    theirs: theirs === undefined ? 'none' : median(theirs[kind]),
    better: 'less',
  } as const;
};
printFigures('Creating devices by one request', [
  ...(['batch', 'atomic'] as const).flatMap((name) =>
    (['single', 'parallel'] as const).flatMap((peer) => [
      figure(name, peer, 'seconds'),
      figure(name, peer, 'cpu'),
    ]),
  ),
]);
for (const [name, { failed }] of measured) if (failed !== undefined) console.log(`${name}: ${failed}`);
