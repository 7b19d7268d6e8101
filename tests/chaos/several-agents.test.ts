// Three agents of one Location: planned restarts, a kill -9 and a copy. The targets count every connection, so the test
// knows of each due time how many checks it had.
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { cpSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { scheduleOffsetMs } from '@vantage/domain/schedule-offset';
import { withClient } from '@vantage/testing/postgres-url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { operate } from '../harness/more-agents.ts';
import { statusEvents } from '../harness/status-events.ts';
import { repositoryRoot, type System, startSystem } from '../harness/system.ts';

const devices = 90;
const intervalMs = 60_000;
const location = 'trio';
const soon = { timeout: 90_000, interval: 200 };
const invitation = z.object({ token: z.string(), agent_id: z.string() });
const listed = z.array(z.object({ agent_id: z.string(), State: z.string() }));
const events = z.array(z.object({ Type: z.string() }));
const uptime = z.object({
  Uptime: z.object({ UpSeconds: z.number(), DownSeconds: z.number(), UnknownSeconds: z.number() }),
});
const hitsByPort = z.record(z.string(), z.array(z.number()));

/** An agent's program, without a supervisor, so that a kill -9 hits it. */
interface Member {
  readonly agentId: string;
  readonly folder: string;
  start(folder?: string): ChildProcess;
  /** Sends the signal to the newest process and waits for its end; milliseconds. */
  end(signal: NodeJS.Signals): Promise<number>;
}

interface Watched {
  readonly id: string;
  readonly deviceNo: number;
  readonly port: number;
}

let system: System;
let targets: ChildProcess;
const members: Member[] = [];
const children: ChildProcess[] = [];
let watched: readonly Watched[] = [];

function member(name: string): Member {
  const { token, agent_id: agentId } = invitation.parse(
    operate(system, 'agents', 'invite', '--location', location),
  );
  const { agent_endpoint, ca_file } = system.quickstart();
  const own = path.join(system.dataDir, name);
  let newest: ChildProcess | undefined;
  return {
    agentId,
    folder: own,
    start(folder = own) {
      const child = spawn(process.execPath, [path.join(repositoryRoot, 'apps/agent/src/main.ts')], {
        cwd: repositoryRoot,
        env: {
          PATH: process.env['PATH'],
          VANTAGE_AGENT_ENDPOINTS: agent_endpoint,
          VANTAGE_AGENT_TOKEN: token,
          VANTAGE_CA_FILE: ca_file,
          VANTAGE_AGENT_DATA: folder,
        },
        stdio: 'ignore',
      });
      children.push(child);
      newest = child;
      return child;
    },
    async end(signal) {
      const child = newest;
      if (child === undefined || child.exitCode !== null) throw new Error('the agent does not run');
      const startMs = performance.now();
      const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      child.kill(signal);
      await ended;
      return performance.now() - startMs;
    },
  };
}

async function states(): Promise<ReadonlyMap<string, string>> {
  const all = listed.parse(await system.api.ok('GET', '/agents'));
  return new Map(all.map((one) => [one.agent_id, one.State]));
}

async function connected(...some: readonly Member[]): Promise<void> {
  await vi.waitFor(async () => {
    const now = await states();
    for (const { agentId } of some) expect(now.get(agentId)).toBe('Connected');
  }, soon);
}

/** Wall clock of each connection, milliseconds, by port. */
async function hits(): Promise<Record<string, number[]>> {
  const answer = new Promise((resolve) => targets.once('message', resolve));
  targets.send('hits');
  return hitsByPort.parse(await answer);
}

/** How many checks each due time of a device had, for due times in [fromMs, toMs). */
async function countsOf(fromMs: number, toMs: number) {
  const all = await hits();
  return watched.flatMap(({ deviceNo, port }) => {
    const offsetMs = scheduleOffsetMs(deviceNo, intervalMs);
    const own = all[port] ?? [];
    const counts: { readonly deviceNo: number; readonly dueMs: number; readonly checks: number }[] = [];
    const firstMs = Math.ceil((fromMs - offsetMs) / intervalMs) * intervalMs + offsetMs;
    for (let dueMs = firstMs; dueMs < toMs; dueMs += intervalMs) {
      const checks = own.filter((hitMs) => hitMs >= dueMs - 50 && hitMs < dueMs + intervalMs - 50).length;
      counts.push({ deviceNo, dueMs, checks });
    }
    return counts;
  });
}

async function createDevices(): Promise<void> {
  const ports = z.array(z.number()).parse(
    await new Promise((resolve) => {
      targets.once('message', resolve);
      targets.send('ports');
    }),
  );
  const ids: { id: string; port: number }[] = [];
  for (const port of ports) {
    const settings = { Method: 'TCP', URL: `127.0.0.1:${port}`, ShortName: `d${port}`, Frequency: 1 };
    const created = z
      .object({ device_id: z.string() })
      .parse(await system.api.ok('POST', '/devices', { ...settings, Timeout: 3, Locations: [location] }));
    ids.push({ id: created.device_id, port });
  }
  const numbers = await withClient(system.quickstart().database_url, async (client) => {
    const { rows } = await client.query('select device_id, device_no from devices');
    return new Map(
      z
        .array(z.object({ device_id: z.string(), device_no: z.number() }))
        .parse(rows)
        .map((row) => [row.device_id, row.device_no]),
    );
  });
  watched = ids.map(({ id, port }) => ({ id, port, deviceNo: numbers.get(id) ?? 0 }));
}

beforeAll(async () => {
  system = await startSystem({ timeoutMs: 180_000 });
  operate(system, 'locations', 'create', location);
  for (const name of ['one', 'two', 'three']) members.push(member(name));
  for (const one of members) one.start();
  targets = fork(path.join(import.meta.dirname, 'counting-targets.ts'), [String(devices)]);
  await connected(...members);
  await createDevices();
});

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  targets?.kill();
  await system?.[Symbol.asyncDispose]();
});

test('restarts of the agents, one after the other, miss no check and double none; a killed agent is replaced within 45 s', async () => {
  await vi.waitFor(
    async () => expect(Object.values(await hits()).every((own) => own.length > 0)).toBe(true),
    soon,
  );
  const fromMs = Date.now() + 1000;
  const drainsMs: number[] = [];
  for (const one of members) {
    await delay(20_000);
    drainsMs.push(Math.round(await one.end('SIGTERM')));
    await delay(3000);
    one.start();
    await connected(one);
  }
  await delay(65_000);
  const plannedMs = Date.now() - 5000;
  const planned = await countsOf(fromMs, plannedMs);
  process.stdout.write(`drained within ${drainsMs.join(', ')} ms; ${planned.length} due times\n`);
  expect(planned.filter(({ checks }) => checks !== 1)).toEqual([]);
  expect(Math.max(...drainsMs)).toBeLessThan(8500);

  const [victim] = members;
  if (victim === undefined) throw new Error('no agent');
  const killedMs = Date.now();
  await victim.end('SIGKILL');
  await delay(45_000 + intervalMs + 5000);
  const before = await countsOf(plannedMs - intervalMs, killedMs - 3000);
  const between = await countsOf(killedMs - 3000, killedMs + 45_000);
  const after = await countsOf(killedMs + 45_000, killedMs + 45_000 + intervalMs);
  const missed = between.filter(({ checks }) => checks === 0);
  const lastMs = Math.max(killedMs, ...missed.map(({ dueMs }) => dueMs));
  process.stdout.write(`${missed.length} missed, until ${lastMs - killedMs} ms after the kill\n`);
  expect(before.filter(({ checks }) => checks !== 1)).toEqual([]);
  expect(missed.length).toBeGreaterThan(0);
  expect(between.filter(({ checks }) => checks > 1)).toEqual([]);
  expect(after).toHaveLength(devices);
  expect(after.filter(({ checks }) => checks !== 1)).toEqual([]);

  const backMs = Date.now();
  victim.start();
  await connected(victim);
  await delay(2 * intervalMs + 10_000);
  const back = await countsOf(backMs, backMs + intervalMs + 10_000);
  expect(back.filter(({ checks }) => checks !== 1)).toEqual([]);
  await expectHistory(fromMs, plannedMs - intervalMs);
});

/** No device was ever anything but Up, and no time of the planned restarts is Unknown. */
async function expectHistory(fromMs: number, plannedToMs: number): Promise<void> {
  const at = (ms: number) => encodeURIComponent(new Date(ms).toISOString());
  for (const { id } of watched) {
    const all = events.parse(await system.api.ok('GET', `/devices/${id}/events?Limit=100`));
    expect(statusEvents(all.map((event) => event.Type))).toEqual(['Up', 'Created']);
    const planned = uptime.parse(
      await system.api.ok(
        'GET',
        `/devices/${id}/uptime?Timestamp1=${at(fromMs)}&Timestamp2=${at(plannedToMs)}`,
      ),
    ).Uptime;
    expect(planned).toMatchObject({ DownSeconds: 0, UnknownSeconds: 0 });
    const whole = uptime.parse(await system.api.ok('GET', `/devices/${id}/uptime`)).Uptime;
    expect(whole.DownSeconds).toBe(0);
  }
}

test('a copy of an agent is noticed, both are fenced, and another agent has their devices', async () => {
  const [, original] = members;
  if (original === undefined) throw new Error('no agent');
  const copy = `${original.folder}-copy`;
  cpSync(original.folder, copy, { recursive: true, filter: (file) => !file.endsWith('.sock') });
  const fromMs = Date.now();
  original.start(copy);
  await vi.waitFor(async () => expect((await states()).get(original.agentId)).toBe('Fenced'), {
    timeout: 150_000,
    interval: 500,
  });
  process.stdout.write(`fenced ${Math.round((Date.now() - fromMs) / 1000)} s after the copy started\n`);
  const open = async () =>
    withClient(system.quickstart().database_url, async (client) => {
      const { rows } = await client.query(
        `select count(*)::int as n from assignment_spans s join agents a using (agent_no)
         where s.to_us is null and a.agent_id = $1`,
        [original.agentId],
      );
      return z.object({ n: z.number() }).parse(rows[0]).n;
    });
  await vi.waitFor(async () => expect(await open()).toBe(0), soon);
});
