// Lists of an account with very many devices: the CPU time of the API and its PostgreSQL for a request, and how long
// requests take by one and by eight connections. Usage: node tests/bench/lists.ts [devices] [seconds for each kind and
// number of connections]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import path from 'node:path';
import { createFakeClock } from '@vantage/kernel/testing';
import { z } from 'zod';
import { makeManyDevices } from '../../apps/controller/src/catalog/devices/testing/many-devices.ts';
import { createDb, createPartitions } from '../../apps/controller/src/db/index.ts';
import { startBenchDatabase } from './database.ts';
import { type Figure, printFigures } from './figures.ts';
import { usage, withChildren } from './processes.ts';

const devices = Number(process.argv[2] ?? 100_000);
const seconds = Number(process.argv[3] ?? 3);
const nowUs = 1_790_000_000_000_000;
const kinds = [
  ...['Limit=100', 'Filter=Down', 'Filter=Up', 'Filter=Maint', 'Filter=Unknown', 'Filter=Down&Method=PING'],
  ...['Search=d1234', 'Search=q', 'Search=.example:9', 'Search=example:99', 'Search=host9'],
  ...['Sort=ShortName', 'Sort=Status', 'Sort=-Status', 'Sort=StatusSince', 'Sort=-StatusSince'],
  ...['Filter=Down&Sort=ShortName', 'Filter=Up&Sort=-ShortName', 'Filter=Down&Search=d1234'],
  ...['Filter=Down&Search=example&Sort=ShortName', 'Search=host9&Sort=Status'],
];

await using held = new AsyncDisposableStack();
const embedded = held.use(await startBenchDatabase());
const { log } = embedded;
const { accountNo } = await makeDatabase();
const server = fork(path.join(import.meta.dirname, 'list-server.ts'), [
  ...[embedded.url, String(nowUs), String(accountNo)],
]);
held.defer(async () => {
  server.disconnect();
  await once(server, 'exit');
});
const [message] = await once(server, 'message');
const { baseUrl, key } = z.object({ baseUrl: z.string(), key: z.string() }).parse(message);
const agent = new Agent({ keepAlive: true });
held.defer(() => agent.destroy());

async function makeDatabase(): Promise<{ readonly accountNo: number }> {
  const db = await createDb({ connection: { url: embedded.url }, log });
  try {
    await db.migrate();
    await createPartitions({ db, clock: createFakeClock(nowUs), log, retentionDays: 1 }).ensure();
    return await makeManyDevices(db, devices, nowUs);
  } finally {
    await db.close();
  }
}

/** CPU milliseconds of the API and its database. */
function cpuMs(): number {
  const pids = [server.pid ?? 0, ...withChildren(embedded.pid)];
  return pids.reduce((sum, pid) => sum + usage(pid).cpuS * 1000, 0);
}

/** Reads a list. Resolves with the milliseconds that it took. */
function read(query: string): Promise<number> {
  const fromMs = performance.now();
  const headers = { 'Service-API-Key': key, 'X-Forwarded-Proto': 'https' };
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  get(`${baseUrl}/devices?${query}`, { agent, headers }, (answer) => {
    answer.on('end', () =>
      answer.statusCode === 200
        ? resolve(performance.now() - fromMs)
        : reject(new Error(`${query}: ${answer.statusCode}`)),
    );
    answer.resume();
  }).on('error', reject);
  return promise;
}

/** Reads a list by so many connections at once, and again, for some seconds. */
async function run(query: string, connections: number, forS: number) {
  const [fromMs, before] = [performance.now(), cpuMs()];
  const times: number[] = [];
  const line = async () => {
    while (performance.now() < fromMs + forS * 1000) times.push(await read(query));
  };
  await Promise.all(Array.from({ length: connections }, line));
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number) => round(sorted[Math.floor(sorted.length * part)] ?? Number.NaN);
  return { p50: at(0.5), p99: at(0.99), cpu: round((cpuMs() - before) / times.length) };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** No list may take longer, also beside seven others. */
const boundMs = 50;

const figures: Figure[] = [];
for (const query of kinds) {
  await run(query, 8, 0.5); // every connection prepares the statements
  const one = await run(query, 1, seconds);
  const eight = await run(query, 8, seconds);
  const shared = { unit: 'ms', better: 'less' } as const;
  const p99 = { ...shared, peer: 'bound', theirs: boundMs };
  figures.push(
    { ...p99, what: `${query}: p99, one connection`, ours: one.p99 },
    { ...p99, what: '  p99, eight connections', ours: eight.p99 },
    { ...shared, what: '  CPU', ours: eight.cpu, peer: 'p50, one connection', theirs: one.p50 },
  );
}
printFigures(`Lists of ${devices} devices`, figures);
