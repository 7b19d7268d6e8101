// An installation whose machines have clocks that a scene can set: libfaketime reads the offset from a file.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@vantage/testing/free-port';
import { withClient } from '@vantage/testing/postgres-url';
import { z } from 'zod';
import { type Api, createApi } from '../harness/api.ts';
import { repositoryRoot, type System, startSystem } from '../harness/system.ts';
import { startTarget, type Target } from '../harness/target.ts';
import { fakeClock } from '../lab/fake-clock.ts';

const vantage = path.join(repositoryRoot, 'vantage');
const created = z.object({ device_id: z.string() });
const invitation = z.object({ token: z.string() });
const devices = 20;

/** Why this machine cannot play the scenes; undefined: it can. */
export const missing = fakeClock('2000-01-01T00:00:00Z').missing;

/** A machine's clock. */
export interface MachineClock {
  readonly env: Readonly<Record<string, string>>;
  /** Seconds by which it is wrong from now on; the monotonic clock stays true. */
  set(seconds: number): void;
}

/** A clock that is right; its programs read the offset each second. */
export function machineClock(folder: string, name: string): MachineClock {
  const file = path.join(folder, `${name}.offset`);
  const set = (seconds: number) => {
    writeFileSync(`${file}.new`, `${seconds < 0 ? '' : '+'}${seconds}\n`);
    renameSync(`${file}.new`, file);
  };
  set(0);
  const { FAKETIME: _, ...env } = fakeClock(new Date().toISOString()).env;
  const more = { FAKETIME_TIMESTAMP_FILE: file, FAKETIME_CACHE_DURATION: '1', NO_FAKE_STAT: '1' };
  return { env: { ...env, ...more }, set };
}

/** The content of the database. */
export interface Ledger {
  readonly checks: number;
  readonly quarantined: number;
  readonly down: number;
  readonly gaps: number;
}

/** Reads the ledger from a database. */
export async function readLedger(url: string): Promise<Ledger> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<Ledger>(`
      select (select count(*) from checks)::int as checks, (select count(*) from quarantined)::int as quarantined,
        (select count(*) from events where type in ('Down', 'LocationOffline'))::int as down, (select count(*) from gaps)::int as gaps`);
    const [row] = rows;
    if (row === undefined) throw new Error('the database does not answer');
    return row;
  });
}

/** A folder that is removed at the end. */
export function sceneFolder(): { readonly path: string } & Disposable {
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-clocks-'));
  return { path: folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Starts the system with this clock on a database of a machine whose clock is right. */
export function startOn(dataDir: string, clock: MachineClock, databaseUrl: string): Promise<System> {
  return startSystem({
    dataDir,
    env: { ...clock.env, VANTAGE_DATABASE_URL: databaseUrl },
  });
}

/** Devices that are checked each minute at these Locations, and the target that counts their checks. */
export async function watchTarget(api: Api, locations: readonly string[]): Promise<Target> {
  const target = await startTarget();
  for (let i = 0; i < devices; i += 1)
    created.parse(
      await api.ok('POST', '/devices', {
        Method: 'TCP',
        URL: `127.0.0.1:${target.port}`,
        ShortName: `clock-${i}`,
        Frequency: 1,
        Timeout: 3,
        Locations: locations,
      }),
    );
  return target;
}

/** Signs the messages of `notifyEverybody`. */
export const webhookSecret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const anyId = z.record(z.string(), z.string()).transform((answer) => Object.values(answer)[0] ?? '');

/** Sends every alert to a webhook. */
export async function notifyEverybody(api: Api, address: string): Promise<void> {
  const hook = { Name: 'receiver', Type: 'webhook', Address: address, Secret: webhookSecret };
  const contact = anyId.parse(await api.ok('POST', '/contacts', hook));
  const Steps = [{ DelayMinutes: 0, Contacts: [contact] }];
  const schedule = anyId.parse(await api.ok('POST', '/nschedules', { Name: 'Everybody', Steps }));
  await api.ok('PUT', '/account', { nschedule_id: schedule });
}

/** The text of /readyz. */
export async function readyText(baseUrl: string, caFile: string): Promise<string> {
  const api = createApi({ baseUrl: baseUrl.replace(/\/v1\.1$/, ''), caFile });
  try {
    return (await api.call('GET', '/readyz')).text;
  } finally {
    api.close();
  }
}

/** Milliseconds until /readyz says so, or throws after a minute. */
export async function untilReady(
  read: () => Promise<string>,
  holds: (text: string) => boolean,
): Promise<number> {
  const fromMs = performance.now();
  for (;;) {
    const text = await read().catch(String);
    const tookMs = performance.now() - fromMs;
    if (holds(text)) return Math.round(tookMs);
    if (tookMs > 60_000) throw new Error(`after a minute /readyz still says ${text}`);
    await delay(250);
  }
}

/**
 * A second controller with this clock on the first one's database. Its agent at Location `second` has a right clock.
 */
export interface SecondController {
  readonly baseUrl: string;
  readonly caFile: string;
  readonly output: () => string;
  startAgent(): void;
  start(): void;
  stop(): Promise<void>;
}

/** Prepares the second controller; `start` and `startAgent` start its programs. */
export async function secondController(
  first: System,
  { folder, clock }: { readonly folder: string; readonly clock: MachineClock },
): Promise<SecondController> {
  const [https, agents] = [await freePort(), await freePort()];
  const data = path.join(folder, 'second');
  mkdirSync(data, { recursive: true });
  cpSync(path.join(first.dataDir, 'tls'), path.join(data, 'tls'), { recursive: true });
  const database = first.quickstart().database_url;
  const cli = (...args: string[]): unknown =>
    JSON.parse(
      execFileSync(vantage, [...args, '--json'], {
        encoding: 'utf8',
        cwd: repositoryRoot,
        env: { ...process.env, VANTAGE_DATA: first.dataDir, VANTAGE_DATABASE_URL: database },
      }),
    );
  cli('locations', 'create', 'second');
  const { token } = invitation.parse(cli('agents', 'invite', '--location', 'second'));
  const children = new Set<ChildProcess>();
  let text = '';
  const launch = (command: string, env: Readonly<Record<string, string>>) => {
    const child = spawn(vantage, [command], {
      cwd: repositoryRoot,
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const keep = (chunk: Buffer) => {
      text = (text + chunk.toString('utf8')).slice(-200_000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    children.add(child);
  };
  return {
    baseUrl: `https://localhost:${https}/v1.1`,
    caFile: path.join(first.dataDir, 'tls/ca.pem'),
    output: () => text,
    start: () =>
      launch('controller', {
        ...clock.env,
        VANTAGE_DATA: data,
        VANTAGE_DATABASE_URL: database,
        VANTAGE_SECRET_KEY_FILE: path.join(first.dataDir, 'secret.key'),
        VANTAGE_HTTPS_PORT: String(https),
        VANTAGE_AGENT_PORT: String(agents),
      }),
    startAgent: () =>
      launch('agent', {
        VANTAGE_AGENT_ENDPOINTS: `https://localhost:${agents}`,
        VANTAGE_AGENT_TOKEN: token,
        VANTAGE_CA_FILE: path.join(first.dataDir, 'tls/ca.pem'),
        VANTAGE_AGENT_DATA: path.join(folder, 'second-agent'),
      }),
    async stop() {
      const running = [...children].filter(
        ({ exitCode, signalCode }) => exitCode === null && signalCode === null,
      );
      children.clear();
      const ended = running.map(
        (child) => new Promise<void>((resolve) => child.once('exit', () => resolve())),
      );
      for (const child of running) child.kill('SIGTERM');
      await Promise.all(ended);
    },
  };
}
