// Reads of the REST API while results come in: p50 and p99 by one connection, while next to nothing happens and while
// an agent's results are stored, 1,000 a second. Agent, targets, controller, PostgreSQL and the reader share the
// processors. Usage: node tests/bench/reads-meanwhile.ts [results a second] [seconds of each kind]
import { setTimeout as delay } from 'node:timers/promises';
import { secondUs } from '@vantage/domain';
import { systemClock as clock } from '@vantage/kernel';
import pg from 'pg';
import { z } from 'zod';
import { createApi } from '../harness/api.ts';
import { startSystem } from '../harness/system.ts';
import { createDevices } from './create-devices.ts';
import { type Figure, printFigures, quantile } from './figures.ts';
import { startTargets } from './targets.ts';
import { weekReads } from './week-reads.ts';

const perSecond = Number(process.argv[2] ?? 1_000);
const seconds = Number(process.argv[3] ?? 5);
/** The shortest of a device. */
const intervalS = 5;

await using resources = new AsyncDisposableStack();
const system = resources.use(await startSystem());
const targets = resources.use(await startTargets());
const { database_url, base_url: baseUrl, ca_file: caFile, api_key_ur: key } = system.quickstart();
const client = new pg.Client({ connectionString: database_url });
await client.connect();
resources.defer(() => client.end());
const reader = createApi({ baseUrl, caFile, key, maxSockets: 1 });
resources.defer(async () => reader.close());

const createdUs = clock.nowUs();
await createDevices(system.api, perSecond * intervalS, (at) => ({
  Method: 'TCP',
  URL: `127.0.0.1:${targets.webPort}`,
  ShortName: `r-${at}`,
  Frequency: 60,
  Timeout: 3,
}));
const { rows } = await client.query<{ device_id: string }>(
  'select device_id from devices order by device_no',
);
const ids = rows.map(({ device_id }) => device_id);
// Each comes within a minute after its device was created, and to create them all takes a while.
await until(async () => (await storedSince(createdUs)) >= ids.length * 0.99, 'the first checks');

/** Results that were stored since a time. */
async function storedSince(sinceUs: number): Promise<number> {
  const { rows: found } = await client.query<{ n: number }>(
    'select count(*)::int as n from check_rows where start_us + arrived_after_us >= $1',
    [sinceUs],
  );
  return found[0]?.n ?? 0;
}

async function until(holds: () => Promise<boolean>, what: string) {
  for (const endMs = performance.now() + 180_000; !(await holds()); await delay(1_000))
    if (performance.now() > endMs) throw new Error(`not within three minutes: ${what}`);
}

/** Milliseconds of each read of a kind, by its name. */
async function readAll(): Promise<ReadonlyMap<string, readonly number[]>> {
  const all = new Map<string, readonly number[]>();
  for (const [kind, routeOf] of weekReads(clock.nowUs())) {
    const times: number[] = [];
    const untilMs = performance.now() + seconds * 1000;
    for (let at = 0; performance.now() < untilMs; at += 1) {
      const fromMs = performance.now();
      await reader.ok('GET', routeOf(ids[(at * 7) % ids.length] ?? ''));
      times.push(performance.now() - fromMs);
    }
    all.set(kind, times);
  }
  return all;
}

await readAll(); // the connections prepare the statements
const idle = await readAll();
const change = { Filter: {}, Set: { FrequencySeconds: intervalS } };
const { Token } = z
  .object({ Token: z.string() })
  .parse(await system.api.ok('POST', '/devices/change', { ...change, Preview: true }));
const outcome = z.object({ Done: z.boolean() });
while (!outcome.parse(await system.api.ok('POST', '/devices/change', { ...change, Token })).Done);
await until(
  async () => (await storedSince(clock.nowUs() - 5 * secondUs)) >= perSecond * 5 * 0.9,
  `${perSecond} results a second`,
);
const fromUs = clock.nowUs();
const meanwhile = await readAll();
const stored = (await storedSince(fromUs)) / ((clock.nowUs() - fromUs) / secondUs);

const figures: Figure[] = [
  {
    what: 'results stored meanwhile',
    unit: 'a second',
    ours: stored,
    peer: 'due',
    theirs: perSecond,
    better: 'more',
  },
];
for (const [kind, times] of meanwhile)
  for (const [name, part] of [
    ['p50', 0.5],
    ['p99', 0.99],
  ] as const)
    figures.push({
      what: `${kind}, ${name}`,
      unit: 'ms',
      ours: quantile(times, part),
      peer: 'before',
      theirs: quantile(idle.get(kind) ?? [], part),
      better: 'less',
    });
printFigures(`Reads while ${perSecond} results a second come in, ${ids.length} devices`, figures);
