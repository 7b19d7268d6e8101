// Three controllers share one PostgreSQL, and agents with the real protocol send 50 results a second. A controller is
// killed (kill -9) at chosen points of a batch: before its checks are inserted, after the COMMIT and before the ack,
// just after the ack. Then controllers are stopped (SIGSTOP) inside the transaction and go on later, and PostgreSQL
// itself is ended and stopped. Each result must have exactly one row.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock as clock } from '@vantage/kernel';
import { freePort } from '@vantage/testing/free-port';
import { withClient } from '@vantage/testing/postgres-url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { repositoryRoot, type System, startSystem } from '../harness/system.ts';
import { type DatabaseProxy, type Moment, startDatabaseProxy } from './database-proxy.ts';
import { fillAgents, fillDevices } from './thousand/fill.ts';
import { type Counts, createSimulatedAgent, type SimulatedAgent } from './thousand/simulated-agent.ts';

const size = { agents: 10, locations: 10, devices: 3_000 };
const kills = Number(process.env['CHAOS_CONTROLLER_KILLS'] ?? 100);
const stalls = Number(process.env['CHAOS_CONTROLLER_STALLS'] ?? 5);
/** Longer than PostgreSQL waits for a transaction (5 s), and than agents wait for a controller (15 s). */
const stallMs = 20_000;
const restarts = Number(process.env['CHAOS_DATABASE_RESTARTS'] ?? 20);
const frozenMs = 60_000;
const points = ['before the insert', 'after the COMMIT, before the ack', 'after the ack'] as const;
const patient = { timeout: 120_000, interval: 100 };
const momentOf = { 'before the insert': 'insert', 'after the COMMIT, before the ack': 'committed' } as const;

/** A controller that can be killed and started again, behind a proxy of the database. */
interface Controller extends AsyncDisposable {
  readonly endpoint: string;
  start(): void;
  signal(signal: NodeJS.Signals): void;
}

let system: System;
const controllers: Controller[] = [];
const agents: SimulatedAgent[] = [];
const ending = new AbortController();
const counts: Counts = { results: 0, acknowledged: 0, heartbeats: 0, replies: 0, connects: 0 };
/** Called at each moment of a controller's transaction; true keeps the bytes back. */
let observe: (controller: Controller, moment: Moment) => boolean = () => false;

async function openController(name: string): Promise<Controller> {
  const folder = path.join(system.dataDir, name);
  mkdirSync(folder);
  const ports = [await freePort(), await freePort()];
  let proxy: DatabaseProxy | undefined;
  let child: ChildProcess | undefined;
  const controller: Controller = {
    endpoint: `https://localhost:${ports[1]}`,
    start() {
      child = spawn(process.execPath, [path.join(repositoryRoot, 'apps/controller/src/main.ts')], {
        cwd: repositoryRoot,
        env: {
          PATH: process.env['PATH'],
          VANTAGE_DATA: folder,
          VANTAGE_DATABASE_URL: proxy?.url,
          VANTAGE_HTTPS_PORT: String(ports[0]),
          VANTAGE_AGENT_PORT: String(ports[1]),
          VANTAGE_SECRET_KEY_FILE: path.join(system.dataDir, 'secret.key'),
          NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        },
        stdio: 'ignore',
      });
    },
    signal: (signal) => void child?.kill(signal),
    async [Symbol.asyncDispose]() {
      child?.kill('SIGKILL');
      await proxy?.[Symbol.asyncDispose]();
    },
  };
  proxy = await startDatabaseProxy(system.quickstart().database_url, (moment) => observe(controller, moment));
  return controller;
}

beforeAll(async () => {
  system = await startSystem({ timeoutMs: 180_000 });
  const { identities, locationNames } = await fillAgents(system, size);
  await fillDevices(system, { devices: size.devices, locationNames });
  for (const name of ['one', 'two', 'three']) controllers.push(await openController(name));
  for (const controller of controllers) controller.start();
  const ca = readFileSync(system.quickstart().ca_file, 'utf8');
  const endpoints = controllers.map(({ endpoint }) => endpoint);
  for (const identity of identities)
    agents.push(
      createSimulatedAgent({
        endpoints,
        ca,
        identity,
        clock,
        counts,
        random: Math.random,
        note: () => {},
      }),
    );
  for (const agent of agents) void agent.run(ending.signal);
  const spread = (work: (agent: SimulatedAgent) => void) => {
    for (const agent of agents) work(agent);
  };
  const ticks = setInterval(() => spread((agent) => agent.tick()), 1000);
  const beats = setInterval(() => spread((agent) => agent.heartbeat()), 10_000);
  ending.signal.addEventListener('abort', () => {
    clearInterval(ticks);
    clearInterval(beats);
  });
  await vi.waitFor(() => {
    expect(agents.reduce((sum, { devices }) => sum + devices, 0)).toBe(size.devices);
  }, patient);
}, 400_000);

afterAll(async () => {
  ending.abort();
  for (const controller of controllers) await controller[Symbol.asyncDispose]();
  await system?.[Symbol.asyncDispose]();
});

/**
 * Resolves with the controller that reached the point. At the first two, it and PostgreSQL hear nothing more of each
 * other about this batch.
 */
function reach(point: (typeof points)[number] | 'inside the transaction'): Promise<Controller> {
  return new Promise((resolve) => {
    const settle = (controller: Controller) => {
      observe = () => false;
      resolve(controller);
    };
    observe = (controller, moment) => {
      if (point === 'inside the transaction') {
        if (moment !== 'insert') return false;
        controller.signal('SIGSTOP');
        settle(controller);
        return false;
      }
      if (point !== 'after the ack') {
        if (moment !== momentOf[point]) return false;
        settle(controller);
        return true;
      }
      if (moment !== 'committed') return false;
      observe = () => false;
      const before = counts.acknowledged;
      const watch = setInterval(() => {
        if (counts.acknowledged === before) return;
        clearInterval(watch);
        settle(controller);
      }, 1);
      return false;
    };
  });
}

/** Resolves once the agents' results reach the database again. */
async function flowing(): Promise<void> {
  const before = counts.acknowledged;
  await vi.waitFor(() => expect(counts.acknowledged).toBeGreaterThan(before), patient);
}

const ledger = z.object({ rows: z.number(), uneven: z.number(), quarantined: z.number(), bad: z.number() });

/**
 * Compares the rows with the results of the agents, once all are acknowledged. `uneven`: a check of a device is missing
 * or double.
 */
async function expectOneRowEach(what: object): Promise<void> {
  for (const agent of agents) agent.rest();
  await vi.waitFor(() => expect(agents.reduce((sum, { waiting }) => sum + waiting, 0)).toBe(0), patient);
  const found = await withClient(system.quickstart().database_url, async (client) => {
    const { rows } = await client.query(
      `with gaps as (
         select start_us - lag(start_us) over (partition by device_no order by start_us) as us from checks)
       select count(*)::int as rows, count(*) filter (where us not between 59000000 and 61000000)::int as uneven,
         (select count(*)::int from quarantined) as quarantined,
         (select count(*)::int from events where type in ('Error', 'Down')) as bad from gaps`,
    );
    return ledger.parse(rows[0]);
  });
  process.stdout.write(`${JSON.stringify({ ...what, results: counts.results, ...found })}\n`);
  expect(found).toEqual({ rows: counts.results, uneven: 0, quarantined: 0, bad: 0 });
}

/** The postmaster's number; it changes with each start. */
const postmaster = () =>
  Number(readFileSync(path.join(system.dataDir, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n')[0]);

/** Stops all processes of PostgreSQL, and lets them go on. */
async function freeze(ms: number): Promise<void> {
  const first = postmaster();
  const children = readFileSync(`/proc/${first}/task/${first}/children`, 'utf8')
    .trim()
    .split(' ')
    .map(Number);
  for (const pid of [first, ...children]) process.kill(pid, 'SIGSTOP');
  await delay(ms);
  for (const pid of [...children, first]) process.kill(pid, 'SIGCONT');
}

test('kills of controllers at chosen points of a batch, controllers that stand still inside a transaction, immediate restarts of PostgreSQL and a minute in which it stands still lose no result and store none twice', async () => {
  for (let kill = 0; kill < kills; kill += 1) {
    const victim = await reach(points[kill % points.length] ?? 'after the ack');
    victim.signal('SIGKILL');
    await delay(100);
    victim.start();
    await flowing();
  }
  for (let stall = 0; stall < stalls; stall += 1) {
    const victim = await reach('inside the transaction');
    await delay(stallMs);
    victim.signal('SIGCONT');
    await flowing();
  }
  for (let restart = 0; restart < restarts; restart += 1) {
    process.kill(postmaster(), 'SIGQUIT');
    await delay(1_000);
    await flowing();
  }
  await freeze(frozenMs);
  await flowing();
  await expectOneRowEach({ kills, stalls, restarts, frozenMs });
});
