// Reads of the REST API under load: 2,000 devices, eight connections. Prints the CPU time of the controller and its
// PostgreSQL for a request. Usage: node tests/bench/reads.ts [devices] [seconds for each kind] VANTAGE_BENCH_BEFORE
// names the folder of another version: both run side by side, and their rounds take turns.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createApi } from '../harness/api.ts';
import { repositoryRoot, startSystem } from '../harness/system.ts';
import { startTarget } from '../harness/target.ts';
import { type Figure, printFigures } from './figures.ts';
import { withChildren } from './processes.ts';

const devices = Number(process.argv[2] ?? 2_000);
const seconds = Number(process.argv[3] ?? 5);
const connections = 8;
const rounds = 6;

/** CPU milliseconds of the threads of a process. */
function cpuMs(pid: number): number {
  const own = (each: string) => Number(readFileSync(`/proc/${each}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  return readdirSync(`/proc/${pid}/task`).reduce((sum, task) => sum + own(`${pid}/task/${task}`), 0);
}

/** The processes of the PostgreSQL whose socket the URL names. */
function postgresPids(databaseUrl: string): number[] {
  const folder = decodeURIComponent(/[?&]host=([^&]+)/.exec(databaseUrl)?.[1] ?? '');
  const [main] = readFileSync(path.join(folder, 'postmaster.pid'), 'utf8').split('\n');
  return withChildren(Number(main));
}

/** CPU milliseconds. */
interface Cpu {
  controller: number;
  postgres: number;
}

/** A running version with its devices. */
async function startSubject(root: string) {
  const start: typeof startSystem =
    root === repositoryRoot
      ? startSystem
      : (await import(path.join(root, 'tests/harness/system.ts'))).startSystem;
  const resources = new AsyncDisposableStack();
  const system = resources.use(await start());
  const target = await startTarget();
  resources.defer(() => target.stop());
  const { base_url, ca_file, api_key_uw, pids, database_url } = system.quickstart();
  const api = createApi({ baseUrl: base_url, caFile: ca_file, key: api_key_uw, maxSockets: connections });
  resources.defer(() => api.close());
  const ids: string[] = [];
  const created: Cpu = { controller: 0, postgres: 0 };
  /** Creates some devices; each tenth is Down. */
  const create = async (count: number) => {
    const before = usage();
    const ports = Array.from({ length: count }, (_, i) => (i % 10 === 0 ? 9 : target.port));
    await inLines(ports, async (port, i) => {
      const settings = { Frequency: 60, Timeout: 5, Retries: 2, RetryDelay: 10 };
      const body = { Method: 'TCP', URL: `127.0.0.1:${port}`, ShortName: `d${ids.length + i}`, ...settings };
      ids.push(String(Object(await api.ok('POST', '/devices', body)).device_id));
    });
    const after = usage();
    created.controller += after.controller - before.controller;
    created.postgres += after.postgres - before.postgres;
  };

  function usage(): Cpu {
    const postgres = postgresPids(database_url).reduce((sum, pid) => sum + cpuMs(pid), 0);
    return { controller: cpuMs(pids.controller), postgres };
  }
  return { api, ids, usage, create, created, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

/** Does the work for each item, as many at a time as there are connections. */
async function inLines<T>(items: readonly T[], work: (item: T, at: number) => Promise<void>): Promise<void> {
  const rest = items.entries();
  await Promise.all(
    Array.from({ length: connections }, async () => {
      for (const [at, item] of rest) await work(item, at);
    }),
  );
}

/** The order changes with each round, because the second subject finds a warm machine. */
function inTurn<T>(all: readonly T[], round: number): readonly T[] {
  return round % 2 === 0 ? all : all.toReversed();
}

type Subject = Awaited<ReturnType<typeof startSubject>>;

const kinds: Readonly<Record<string, (id: string) => string>> = {
  'GET /devices?Limit=100': () => '/devices?Limit=100',
  // Those who ask for one page at a moment share its reading; here each connection asks for another page.
  'GET /devices?Limit=100&After={id}': (id) => `/devices?Limit=100&After=${id}`,
  'GET /devices/{id}': (id) => `/devices/${id}`,
  'GET /devices?Filter=Down': () => '/devices?Filter=Down',
  'GET /devices/{id}/checks': (id) => `/devices/${id}/checks`,
  'GET /devices/{id}/uptime': (id) => `/devices/${id}/uptime`,
  'GET /hello': () => '/hello',
  'GET /metrics?devices=Y': () => '/../metrics?devices=Y',
};

/** The CPU and the number of requests of one kind over its rounds. */
interface Sums extends Cpu {
  requests: number;
}

async function run({ api, ids, usage }: Subject, pathOf: (id: string) => string, sums: Sums): Promise<void> {
  const before = usage();
  const until = performance.now() + (seconds / rounds) * 1000;
  await Promise.all(
    Array.from({ length: connections }, async (_, line) => {
      for (let i = line; performance.now() < until; i += connections) {
        await api.ok('GET', pathOf(ids[i % ids.length] ?? ''));
        sums.requests += 1;
      }
    }),
  );
  const after = usage();
  sums.controller += after.controller - before.controller;
  sums.postgres += after.postgres - before.postgres;
}

const other = process.env['VANTAGE_BENCH_BEFORE'];
await using stack = new AsyncDisposableStack();
const subjects: Subject[] = [];
for (const root of [repositoryRoot, ...(other === undefined ? [] : [other])])
  subjects.push(stack.use(await startSubject(root)));
for (let round = 0; round < rounds; round += 1)
  for (const subject of inTurn(subjects, round)) await subject.create(Math.ceil(devices / rounds));
// The first checks and retries of all devices are made.
await delay(45_000);

const figures: Figure[] = [];
function add(name: string, all: readonly Cpu[]): void {
  const figure = (what: string, values: readonly number[]): Figure => ({
    what: `${name}: ${what}`,
    unit: 'ms',
    better: 'less',
    ours: values[0] ?? Number.NaN,
    peer: 'the other version',
    theirs: values[1] ?? 'VANTAGE_BENCH_BEFORE is not set',
  });
  figures.push(
    figure(
      'CPU',
      all.map(({ controller, postgres }) => controller + postgres),
    ),
    figure(
      '  of the controller',
      all.map(({ controller }) => controller),
    ),
    figure(
      '  of PostgreSQL',
      all.map(({ postgres }) => postgres),
    ),
  );
}

add(
  'POST /devices',
  subjects.map(({ created, ids }) => ({
    controller: created.controller / ids.length,
    postgres: created.postgres / ids.length,
  })),
);
for (const [name, pathOf] of Object.entries(kinds)) {
  const sums = subjects.map((): Sums => ({ requests: 0, controller: 0, postgres: 0 }));
  // An earlier version may not have a kind; its figures are no numbers then.
  const answers = await Promise.all(
    subjects.map(({ api, ids }) =>
      api.call('GET', pathOf(ids[0] ?? '')).then(({ status }) => status === 200),
    ),
  );
  for (let round = 0; round < rounds; round += 1)
    for (const [at, subject] of inTurn([...subjects.entries()], round)) {
      const own = sums[at];
      if (own !== undefined && answers[at] === true) await run(subject, pathOf, own);
    }
  add(
    name,
    sums.map(({ controller, postgres, requests }) => ({
      controller: controller / requests,
      postgres: postgres / requests,
    })),
  );
}
printFigures(`Reads of ${devices} devices, ${connections} connections`, figures);
