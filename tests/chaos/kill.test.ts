// A result on the agent's disk is never lost. Controller, agent and PostgreSQL are killed (kill -9) one after the
// other, while 50 results a second flow. The test compares the rows with the connections that the targets counted.
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { expect, test } from 'vitest';
import { startSystem } from '../harness/system.ts';

const devices = 3000;
const rounds = Number(process.env['CHAOS_KILL_ROUNDS'] ?? 4);
/** A result may be lost only between the connection at the target and the fsync of its group. */
const inFlightMs = 1000;

test('kill -9 of controller, agent and database, one after the other, loses no result and stores none twice', {
  timeout: 1_200_000,
}, async () => {
  await using system = await startSystem();
  const targets = fork(path.join(import.meta.dirname, 'counting-targets.ts'), [String(devices)]);
  try {
    const ports = await ask<number[]>(targets, 'ports');
    await createDevices(system.api, ports);
    await delay(65_000);
    const fromUs = Date.now() * 1000;
    const agentKills: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      for (const victim of ['controller', 'agent', 'database'] as const) {
        const pids = system.quickstart().pids;
        const pid =
          victim === 'database' ? await postmasterPid(system.quickstart().database_url) : pids[victim];
        if (victim === 'agent') agentKills.push(Date.now());
        process.kill(pid, 'SIGKILL');
        await delay(12_000 + Math.random() * 3000);
      }
    }
    const toUs = Date.now() * 1000;
    await drained(system.quickstart().database_url);
    const hits = await ask<Record<string, number[]>>(targets, 'hits');
    const rows = await rowsBetween(system.quickstart().database_url, fromUs, toUs);
    const ledger = join(ports, hits, rows, fromUs / 1000, toUs / 1000);
    const unexplained = ledger.hitsWithoutRow.filter(
      (at) => !agentKills.some((kill) => at > kill - inFlightMs && at <= kill + inFlightMs),
    );
    process.stdout.write(
      `kill ledger: ${JSON.stringify({
        kills: rounds * 3,
        rows: rows.length,
        hitsWithoutRow: ledger.hitsWithoutRow.length,
        unexplained: unexplained.length,
        rowsWithoutHit: ledger.rowsWithoutHit,
        hitsTakenTwice: ledger.hitsTakenTwice,
      })}\n`,
    );
    expect(ledger.rowsWithoutHit).toBe(0);
    expect(ledger.hitsTakenTwice).toBe(0);
    expect(unexplained).toEqual([]);
    expect(rows.length).toBeGreaterThan(rounds * 3 * 300);
  } finally {
    targets.kill('SIGTERM');
  }
});

interface Row {
  readonly port: number;
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * Matches every row with the one connection of its port within its span. Returns the rows and the connections that are
 * left. A device is checked once a minute, so a connection that the busy target stamped late is still its row's.
 */
function join(
  ports: readonly number[],
  hits: Readonly<Record<string, readonly number[]>>,
  rows: readonly Row[],
  fromMs: number,
  toMs: number,
): { hitsWithoutRow: number[]; rowsWithoutHit: number; hitsTakenTwice: number } {
  const slackMs = 250;
  const stampedLateMs = 3_000;
  const byPort = Map.groupBy(rows, (row) => row.port);
  const hitsWithoutRow: number[] = [];
  let rowsWithoutHit = 0;
  let hitsTakenTwice = 0;
  for (const port of ports) {
    let free = hits[port] ?? [];
    const taken: number[] = [];
    let left = byPort.get(port) ?? [];
    for (const lateMs of [slackMs, stampedLateMs]) {
      const fits = (row: Row, at: number) => at >= row.startMs - slackMs && at <= row.endMs + lateMs;
      left = left.filter((row) => {
        const hit = free.find((at) => fits(row, at));
        if (hit === undefined) return true;
        free = free.toSpliced(free.indexOf(hit), 1);
        taken.push(hit);
        return false;
      });
      if (lateMs === slackMs) {
        const before = left.length;
        left = left.filter((row) => !taken.some((at) => fits(row, at)));
        hitsTakenTwice += before - left.length;
      }
    }
    rowsWithoutHit += left.length;
    hitsWithoutRow.push(...free.filter((at) => at > fromMs + slackMs && at < toMs - 2000));
  }
  return { hitsWithoutRow, rowsWithoutHit, hitsTakenTwice };
}

async function createDevices(
  api: { ok(method: string, path: string, body?: unknown): Promise<unknown> },
  ports: readonly number[],
): Promise<void> {
  for (let i = 0; i < ports.length; i += 50) {
    await Promise.all(
      ports.slice(i, i + 50).map((port) =>
        api.ok('POST', '/devices', {
          Method: 'TCP',
          URL: `127.0.0.1:${port}`,
          ShortName: `p${port}`,
          Frequency: 1,
        }),
      ),
    );
  }
}

async function query<R extends pg.QueryResultRow>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<R[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => void client.end().catch(() => undefined));
  await client.connect();
  try {
    return (await client.query<R>(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** The postmaster is the parent of any backend. */
async function postmasterPid(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => void client.end().catch(() => undefined));
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const parent = /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${rows[0]?.pid}/status`, 'utf8'));
    return Number(parent?.[1]);
  } finally {
    await client.end();
  }
}

async function drained(url: string): Promise<void> {
  for (let i = 0; i < 60; i += 1) {
    await delay(3000);
    try {
      const [row] = await query<{ waiting: number }>(
        url,
        'select coalesce(sum(backlog_records), 0)::int as waiting from agents',
      );
      if (row?.waiting === 0 && i > 8) return;
    } catch {
      // the database is still starting after the last kill
    }
  }
  throw new Error('the outbox did not drain within three minutes');
}

async function rowsBetween(url: string, fromUs: number, toUs: number): Promise<Row[]> {
  const rows = await query<{ name: string; start: string; stop: string }>(
    url,
    `select d.short_name as name, c.start_us as start, c.end_us as stop from checks c join devices d using (device_no)
     where c.start_us between $1 and $2 and c.code = 1 order by c.start_us`,
    [fromUs, toUs],
  );
  return rows.map((row) => ({
    port: Number(row.name.slice(1)),
    startMs: Number(row.start) / 1000,
    endMs: Number(row.stop) / 1000,
  }));
}

function ask<T>(targets: ReturnType<typeof fork>, question: string): Promise<T> {
  return new Promise((resolve) => {
    targets.once('message', (message) => resolve(message as T));
    targets.send(question);
  });
}
