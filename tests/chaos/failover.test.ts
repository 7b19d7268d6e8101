// The database fails over to a replica that is behind, again and again, while an agent's results are stored and
// acknowledged.
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { withClient } from '@vantage/testing/postgres-url';
import { afterAll, beforeAll, expect, onTestFailed, test, vi } from 'vitest';
import { z } from 'zod';
import {
  cutReplica,
  type DatabaseServer,
  type DatabaseSwitch,
  hasPrograms,
  promote,
  startPrimary,
  startReplica,
  startSwitch,
} from '../harness/database-servers.ts';
import { type System, startSystem } from '../harness/system.ts';

/** 20 rounds, 500 devices and 60 s for the figures of docs/faults.md. Each device is checked once a second. */
const rounds = Number(process.env['FAILOVER_ROUNDS'] ?? 3);
const devices = Number(process.env['FAILOVER_DEVICES'] ?? 100);
const longestLagMs = 1000 * Number(process.env['FAILOVER_LAG_S'] ?? 6);
const fast = { NODE_ENV: 'test', VANTAGE_TEST_TIME_SCALE: '60' };
const perBatch = 100;

let primary: DatabaseServer;
let database: DatabaseSwitch;
let system: System;
let targets: ChildProcess;
const ids: string[] = [];
const created = z.object({ Results: z.array(z.object({ Body: z.object({ device_id: z.string() }) })) });

const ask = <T>(question: string, schema: z.ZodType<T>): Promise<T> =>
  new Promise((resolve) => {
    targets.once('message', (message) => resolve(schema.parse(message)));
    targets.send(question);
  });

beforeAll(async () => {
  if (!hasPrograms) return;
  primary = await startPrimary();
  database = await startSwitch(primary);
  system = await startSystem({ env: { ...fast, VANTAGE_DATABASE_URL: database.url } });
  targets = fork(path.join(import.meta.dirname, 'counting-targets.ts'), [String(devices)]);
  const ports = await ask('ports', z.array(z.number()));
  for (let from = 0; from < devices; from += perBatch) {
    const Operations = ports.slice(from, from + perBatch).map((port) => ({
      Method: 'POST',
      Path: '/devices',
      Body: { Method: 'TCP', URL: `127.0.0.1:${port}`, ShortName: `d${port}`, Frequency: 1, Timeout: 5 },
    }));
    const { Results } = created.parse(await system.api.ok('POST', '/batch', { Operations }));
    ids.push(...Results.map(({ Body }) => Body.device_id));
  }
}, 200_000);

afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  targets?.disconnect();
  await database?.[Symbol.asyncDispose]();
  await primary?.kill();
});

const count = z.object({ n: z.number() });
/** The first number of the answer. */
async function numberOf(statement: string): Promise<number> {
  return withClient(database.url, async (client) => count.parse((await client.query(statement)).rows[0]).n);
}

/** Seconds until results of checks that begin from now on are stored. */
async function flowing(): Promise<number> {
  const fromUs = Date.now() * 1000;
  const stored = `select count(*)::int as n from checks where start_us > ${fromUs}`;
  await vi.waitFor(async () => expect(await numberOf(stored)).toBeGreaterThan(devices), {
    timeout: 300_000,
    interval: 500,
  });
  return Math.round((Date.now() - fromUs / 1000) / 1000);
}

/**
 * The replica stops receiving, the primary goes on for a while, dies, and the replica takes its place. Returns the
 * seconds until new results are stored again.
 */
async function failOver(lagMs: number): Promise<number> {
  const replica = await startReplica(primary);
  await delay(1_000);
  await cutReplica(replica);
  await delay(lagMs);
  database.to(undefined);
  const dead = primary;
  primary = replica;
  await dead.kill();
  await promote(replica);
  database.to(replica);
  return flowing();
}

const controllerLog = () => readFileSync(path.join(system.dataDir, 'log', 'controller.log'), 'utf8');

/** Pauses all devices, and waits until no check runs any more. */
async function pauseAll(): Promise<void> {
  for (let from = 0; from < ids.length; from += perBatch)
    await system.api.ok('POST', '/batch', {
      Operations: ids.slice(from, from + perBatch).map((id) => ({
        Method: 'PUT',
        Path: `/devices/${id}`,
        Body: { Enabled: false },
      })),
    });
  const hitsNow = async () => sum(Object.values(await hitsByPort()));
  await vi.waitFor(
    async () => {
      const before = await hitsNow();
      await delay(6_000);
      expect(await hitsNow()).toBe(before);
    },
    { timeout: 120_000, interval: 100 },
  );
}

const hitsByPort = async () => {
  const times = await ask('hits', z.record(z.string(), z.array(z.number())));
  return Object.fromEntries(Object.entries(times).map(([port, all]) => [port, all.length]));
};
const sum = (all: readonly number[]) => all.reduce((total, n) => total + n, 0);
const rowsOf = z.array(z.object({ port: z.string(), n: z.number() }));

/**
 * Compares the connections that each target counted since its device was created with the device's rows. No clock takes
 * part: all devices are paused. `missing`: connections without a row. `more`: rows without a connection.
 */
async function ledger() {
  const rows = await withClient(database.url, async (client) =>
    rowsOf.parse(
      (
        await client.query(
          `select split_part(d.url, ':', 2) as port, count(c.start_us)::int as n
           from devices d left join checks c using (device_no) group by 1`,
        )
      ).rows,
    ),
  );
  const stored = new Map(rows.map(({ port, n }) => [port, n]));
  const hits = await hitsByPort();
  const differences = Object.entries(hits).map(([port, n]) => n - (stored.get(port) ?? 0));
  return {
    hits: sum(Object.values(hits)),
    rows: sum([...stored.values()]),
    missing: sum(differences.filter((n) => n > 0)),
    more: sum(differences.filter((n) => n < 0).map(Math.abs)),
  };
}

test('a failover to a replica that is behind loses no result that was acknowledged, or a data gap names it, and stores none twice', async ({
  skip,
}) => {
  skip(!hasPrograms, 'this machine lacks the programs of PostgreSQL 15');
  onTestFailed(() => void process.stdout.write(controllerLog().slice(-20_000)));
  await flowing();
  const lagsMs = Array.from({ length: rounds }, () => 1000 + Math.random() * (longestLagMs - 1000));
  const flowsAfterS: number[] = [];
  for (const lagMs of lagsMs) {
    flowsAfterS.push(await failOver(lagMs));
    process.stdout.write(`${Math.round(lagMs / 1000)} s behind: new results after ${flowsAfterS.at(-1)} s\n`);
  }
  await pauseAll();
  const gaps = 'select coalesce(sum(dropped_results), 0)::int as n from gaps';
  await vi.waitFor(
    async () => {
      const found = await ledger();
      expect(found.missing).toBeLessThanOrEqual(await numberOf(gaps));
    },
    { timeout: 120_000, interval: 2_000 },
  );
  const found = { ...(await ledger()), gaps: await numberOf(gaps) };
  const quarantined = await numberOf('select count(*)::int as n from quarantined');
  process.stdout.write(
    `${JSON.stringify({ rounds, devices, longestLagMs, ...found, quarantined, longestS: Math.max(...flowsAfterS) })}\n`,
  );
  expect(found.more).toBe(0);
  expect(quarantined).toBe(0);
  expect(controllerLog().match(/the database went back/g)).not.toBeNull();
});
