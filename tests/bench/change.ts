// A change of all devices of a large account while an agent checks some of them every 5 s: how long the preview and the
// change take, how the progress grows, and how late checks begin before and meanwhile. Usage:
// node tests/bench/change.ts [devices] [seconds of the time before]
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { z } from 'zod';
import { startSystem } from '../harness/system.ts';
import { startTarget } from '../harness/target.ts';
import { printFigures } from './figures.ts';
import { usage } from './processes.ts';

const devices = Number(process.argv[2] ?? 100_000);
const beforeS = Number(process.argv[3] ?? 40);
/** Devices that the agent checks every 5 s; the others are at no Location. */
const checked = 250;

const outcome = z.object({
  Matched: z.int(),
  Changed: z.int(),
  Refused: z.array(z.unknown()),
  Token: z.string(),
  Done: z.boolean(),
});
const body = { Filter: {}, Set: { Severity: 'info', Timeout: 9 }, AddTags: ['changed'] };

await using resources = new AsyncDisposableStack();
const system = resources.use(await startSystem());
const target = await startTarget();
resources.defer(() => target.stop());
const client = new pg.Client({ connectionString: system.quickstart().database_url });
await client.connect();
resources.defer(() => client.end());

await system.api.ok('POST', '/tags', { Name: 'changed' });
const one = await createChecked();
await createOthers(one);
await delay(10_000);
const fromUs = nowUs();
await delay(beforeS * 1000);
const before = await latenessMs(fromUs, nowUs());

const catalogBytes = await bytesOfCatalog();
const rssMib = () => usage(system.quickstart().pids.controller).rssMib;
const rssBefore = rssMib();
const previewed = await timed(() => ask({ ...body, Preview: true }));
const meanwhileUs = nowUs();
const progress = followProgress(previewed.value.Token);
const done = await timed(() => carryOut(previewed.value.Token));
const seen = await progress.stop();
await delay(6_000); // what was due meanwhile is stored
const meanwhile = await latenessMs(meanwhileUs, nowUs() - 6_000_000);
const { rows: entries } = await client.query(
  `select changes from audit where kind = 'devices' and at_us >= $1`,
  [fromUs],
);

const less = { better: 'less', peer: 'bound' } as const;
printFigures(`A change of ${done.value.Changed} of ${previewed.value.Matched} devices`, [
  { ...less, what: 'preview', unit: 'ms', ours: previewed.ms, theirs: 1000 },
  { ...less, what: 'change', unit: 's', ours: done.ms / 1000, theirs: 60 },
  {
    ...less,
    what: 'checks begin late meanwhile, p99',
    unit: 'ms',
    ours: meanwhile.p99,
    peer: 'before',
    theirs: before.p99,
  },
  { ...less, what: '  at most', unit: 'ms', ours: meanwhile.worst, peer: 'before', theirs: before.worst },
  {
    ...less,
    what: 'checks a second meanwhile',
    unit: '',
    better: 'more',
    ours: meanwhile.aSecond,
    peer: 'before',
    theirs: before.aSecond,
  },
  { ...less, what: 'entries of the audit', unit: '', ours: entries.length, theirs: 1 },
  {
    ...less,
    what: 'steps of the progress that a reader saw',
    unit: '',
    better: 'more',
    ours: seen,
    peer: 'at least',
    theirs: 2,
  },
  {
    ...less,
    what: 'memory of the controller after it',
    unit: 'MiB',
    ours: rssMib(),
    peer: 'before',
    theirs: rssBefore,
  },
  {
    ...less,
    what: 'the catalog on disk, a device',
    unit: 'bytes',
    ours: catalogBytes / devices,
    peer: 'none',
    theirs: '-',
  },
]);
process.stdout.write(`${JSON.stringify(entries[0])}\n`);

/** Bytes of all tables but those of the history. */
async function bytesOfCatalog(): Promise<number> {
  const { rows } = await client.query(
    `select sum(pg_total_relation_size(oid))::float8 as bytes from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace and relname !~ '^(checks?|packed|rollup)_'`,
  );
  return z.object({ bytes: z.number() }).parse(rows[0]).bytes;
}

function nowUs(): number {
  return Date.now() * 1000;
}

async function timed<T>(work: () => Promise<T>): Promise<{ readonly ms: number; readonly value: T }> {
  const fromMs = performance.now();
  const value = await work();
  return { ms: Math.round(performance.now() - fromMs), value };
}

async function ask(sent: object): Promise<z.output<typeof outcome>> {
  return outcome.parse(await system.api.ok('POST', '/devices/change', sent));
}

/** Repeats the request until all is done, as a client whose request is cut off does. */
async function carryOut(token: string): Promise<z.output<typeof outcome>> {
  for (;;) {
    const answer = await ask({ ...body, Token: token });
    if (answer.Done) return answer;
  }
}

/** Reads the progress once a second. `stop` resolves with the number of different answers. */
function followProgress(token: string) {
  const ending = new AbortController();
  const counts = new Set<number>();
  const reading = (async () => {
    while (!ending.signal.aborted) {
      counts.add(outcome.parse(await system.api.ok('GET', `/device-changes/${token}`)).Changed);
      await delay(1000, undefined, { signal: ending.signal }).catch(() => {});
    }
  })();
  return {
    async stop(): Promise<number> {
      ending.abort();
      await reading;
      return counts.size;
    },
  };
}

/** Creates the devices that the agent checks. Resolves with the id of one. */
async function createChecked(): Promise<string> {
  const ids: string[] = [];
  for (let i = 0; i < checked; i += 10) {
    const some = Array.from({ length: 10 }, (_, j) =>
      system.api.ok('POST', '/devices', {
        Method: 'TCP',
        URL: `127.0.0.1:${target.port}`,
        ShortName: `c-${i + j}`,
        FrequencySeconds: 5,
        Timeout: 5,
      }),
    );
    for (const made of await Promise.all(some))
      ids.push(z.object({ device_id: z.string() }).parse(made).device_id);
  }
  return ids[0] ?? '';
}

/** Adds devices like this one, without a Location. */
async function createOthers(deviceId: string): Promise<void> {
  await client.query('set statement_timeout = 0');
  await client.query(
    `insert into devices (device_id, account_no, method, url, sealed, short_name, frequency_min, timeout_s, retries,
       retry_delay_s, locations_given, enabled, changed_us, created_us, updated_us)
     select md5(i::text) || substr(md5('id' || i), 1, 16), account_no, method, url, sealed, 'o-' || i, 5, 10, 2, 10, true, true,
       changed_us, created_us, updated_us
     from devices, generate_series(1, $2::int) as i where device_id = $1`,
    [deviceId, devices - checked],
  );
  await client.query(
    `insert into device_state (device_no, account_no, location_nos, status, since_us, state)
     select device_no, account_no, '{}', 'Unknown', created_us, '{}' from devices where short_name like 'o-%'
     on conflict do nothing`,
  );
  await client.query('vacuum analyze devices, device_state, device_texts, device_counts');
}

/** The lateness of the checks that began in this time. */
async function latenessMs(fromUs: number, toUs: number) {
  const { rows } = await client.query(
    `select count(*)::int as n, percentile_cont(0.99) within group (order by block_ms) as p99, max(block_ms) as worst
     from checks where start_us >= $1 and start_us < $2 and attempt = 0`,
    [fromUs, toUs],
  );
  const { n, p99, worst } = z.object({ n: z.int(), p99: z.number(), worst: z.number() }).parse(rows[0]);
  return { p99, worst, aSecond: n / ((toUs - fromUs) / 1e6) };
}
