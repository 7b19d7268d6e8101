// One agent with controller, PostgreSQL and nginx as target on the same processors, at several loads: results a second
// that are stored, and where the CPU goes; beside them the connects of a program that does nothing else. Usage: node
// tests/bench/whole.ts [results a second…]
import { once } from 'node:events';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { deviceSealContext, secondUs } from '@vantage/domain';
import { readSecretKeys } from '@vantage/storage/secrets/key-file';
import { createSealer, type SealedJson, type Sealer } from '@vantage/storage/secrets/seal';
import pg from 'pg';
import { copyDevices } from '../harness/copy-devices.ts';
import { startSystem } from '../harness/system.ts';
import { type Figure, printFigures } from './figures.ts';
import { postgresPids, usage } from './processes.ts';
import { startTargets } from './targets.ts';

const given = process.argv.slice(2).map(Number);
const loads = given.length > 0 ? given : [4_000, 8_000];
/** The shortest of a device. */
const intervalS = 5;
/** A new device has its first check within a minute, and what begins with it (events, intervals) is stored by then. */
const warmUpS = 150;
const measuredS = 30;

/** Results that were stored in this time. */
async function storedBetween(client: pg.Client, fromUs: number, toUs: number): Promise<number> {
  const { rows } = await client.query<{ n: number }>(
    `select count(*)::int as n from check_rows
     where start_us between $1::bigint - 60000000 and $2::bigint and start_us + arrived_after_us between $1 and $2`,
    [fromUs, toUs],
  );
  return rows[0]?.n ?? 0;
}

/** Seconds by which checks that began in this time were late, and the checks of the devices that had most and least. */
async function shares(client: pg.Client, fromUs: number, toUs: number) {
  const { rows } = await client.query<{ p50: number; p99: number; most: number; least: number }>(
    `with mine as (select device_no, block_ms from checks where start_us between $1 and $2 and attempt = 0),
       counts as (select count(mine)::int as n from devices left join mine using (device_no) group by device_no)
     select (percentile_cont(0.5) within group (order by block_ms) / 1000)::float as p50,
       (percentile_cont(0.99) within group (order by block_ms) / 1000)::float as p99,
       (select max(n) from counts) as most, (select min(n) from counts) as least from mine`,
    [fromUs, toUs],
  );
  const [found] = rows;
  if (found === undefined) throw new Error('an aggregate has one row');
  return found;
}

/** Copies the only device, with settings that open under the id of each copy. */
async function copyOnly(client: pg.Client, sealer: Sealer, count: number): Promise<void> {
  const read = () =>
    client.query<{
      device_no: string;
      device_id: string;
      url: string;
      options: { [name: string]: SealedJson };
    }>('select device_no, device_id, url, options from devices');
  const [first] = (await read()).rows;
  await copyDevices((text, values) => client.query(text, [...values]), Number(first?.device_no), count);
  const { rows } = await read();
  await client.query(
    `update devices set sealed = made.sealed from unnest($1::text[], $2::bytea[]) as made (device_id, sealed)
     where devices.device_id = made.device_id`,
    [
      rows.map(({ device_id: id }) => id),
      rows.map(({ device_id: id, url, options }) => sealer.seal({ url, options }, deviceSealContext(id))),
    ],
  );
}

/** Connects a second of a program that connects, closes and does nothing else, `atATime` at one moment. */
async function bareConnects(port: number, atATime = 200, ms = 5_000): Promise<number> {
  let count = 0;
  const endMs = performance.now() + ms;
  const one = async () => {
    while (performance.now() < endMs) {
      const socket = connect({ host: '127.0.0.1', port, autoSelectFamily: false });
      await once(socket, 'connect');
      socket.destroy();
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: atATime }, one));
  return (count * 1000) / ms;
}

async function run(perSecond: number): Promise<Figure[]> {
  await using resources = new AsyncDisposableStack();
  const targets = resources.use(await startTargets());
  const bare = await bareConnects(targets.webPort);
  const others = new Set(postgresPids());
  const system = resources.use(await startSystem());
  const { database_url: connectionString, pids } = system.quickstart();
  const client = new pg.Client({ connectionString });
  await client.connect();
  resources.defer(() => client.end());
  const create = (ShortName: string) =>
    system.api.ok('POST', '/devices', {
      Method: 'TCP',
      URL: `127.0.0.1:${targets.webPort}`,
      ShortName,
      FrequencySeconds: intervalS,
      Timeout: 3,
    });
  const [key = Buffer.of(), ...older] = (await readSecretKeys(path.join(system.dataDir, 'secret.key'))) ?? [];
  await create('first');
  await copyOnly(client, createSealer(key, older), perSecond * intervalS - 2);
  await create('last'); // its Location is planned anew
  await delay(warmUpS * 1000);
  const cpuS = () => ({
    agent: usage(pids.agent).cpuS,
    controller: usage(pids.controller).cpuS,
    PostgreSQL: postgresPids()
      .filter((pid) => !others.has(pid))
      .reduce((sum, pid) => sum + usage(pid).cpuS, 0),
  });
  const before = cpuS();
  const fromUs = Date.now() * 1000;
  await delay(measuredS * 1000);
  const after = cpuS();
  const toUs = Date.now() * 1000;
  await delay(2_000); // for what was on its way
  const stored = await storedBetween(client, fromUs, toUs);
  const { p50, p99, most, least } = await shares(client, fromUs, toUs);
  const what = `${perSecond} due a second`;
  return [
    {
      what,
      unit: 'stored a second',
      ours: (stored * secondUs) / (toUs - fromUs),
      peer: 'due',
      theirs: perSecond,
      better: 'more',
    },
    {
      what,
      unit: 'stored a second',
      ours: (stored * secondUs) / (toUs - fromUs),
      peer: 'bare connects of one program',
      theirs: bare,
      better: 'more',
    },
    {
      what: `${what}, lateness p99`,
      unit: 's',
      ours: p99,
      peer: 'p50',
      theirs: p50,
      better: 'less',
    },
    {
      what: `${what}, checks of the device with most`,
      unit: `in ${measuredS} s`,
      ours: most,
      peer: 'of that with least',
      theirs: least,
      better: 'less',
    },
    ...Object.entries(after).map(
      ([name, value]): Figure => ({
        what: `${what}, ${name}`,
        unit: 'ms CPU per 1,000',
        ours: ((value - before[name as keyof typeof before]) / stored) * 1e6,
        peer: '-',
        theirs: '-',
        better: 'less',
      }),
    ),
  ];
}

const figures: Figure[] = [];
for (const perSecond of loads) figures.push(...(await run(perSecond)));
printFigures('One agent, controller and PostgreSQL on the same processors', figures);
