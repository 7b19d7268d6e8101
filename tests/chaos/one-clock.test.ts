// All controllers use one time, the database's. Real programs, clocks by libfaketime.
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { createTestDatabase } from '@vantage/testing/database';
import { freePort } from '@vantage/testing/free-port';
import { withClient } from '@vantage/testing/postgres-url';
import { expect, onTestFailed, test, vi } from 'vitest';
import { z } from 'zod';
import { createApi } from '../harness/api.ts';
import {
  machineClock,
  missing,
  notifyEverybody,
  readLedger,
  readyText,
  sceneFolder,
  secondController,
  startOn,
  untilReady,
  watchTarget,
} from './clock-scene.ts';

const dayS = 86_400;
const soon = { timeout: 120_000, interval: 500 };
const isReady = (text: string) => text.startsWith('ready');
const say = (scene: string, facts: object) =>
  void process.stdout.write(`ledger: ${scene}: ${JSON.stringify(facts)}\n`);

/** Signs in by a key, as the page does. */
function sessions(options: { readonly baseUrl: string; readonly caFile: string }) {
  const api = createApi(options);
  return {
    async begin(Key: string): Promise<string> {
      const { headers } = await api.call('POST', '/session', { Key });
      return z.array(z.string()).parse(headers['set-cookie'])[0]?.split(';')[0] ?? '';
    },
    isSignedIn: async (Cookie: string) =>
      (await api.call('GET', '/session', undefined, { Cookie })).text.includes('"Level"'),
    [Symbol.dispose]: () => api.close(),
  };
}

/** A receiver that fails while `isBroken`. */
async function startReceiver() {
  const state = { isBroken: true, delivered: 0, failed: 0 };
  const server = createServer((request, response) => {
    request.resume();
    if (state.isBroken) state.failed += 1;
    else state.delivered += 1;
    response.writeHead(state.isBroken ? 500 : 204).end();
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    state,
    url: `http://127.0.0.1:${port}/hook`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The value of one column of one row. */
function ask(url: string, text: string): Promise<number> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ n: number }>(text);
    return Number(rows[0]?.n);
  });
}

test('two controllers whose clocks are 110 s apart share one time: nothing ends, goes offline, or is refused', async ({
  skip,
}) => {
  skip(missing !== undefined, missing);
  using folder = sceneFolder();
  await using database = await createTestDatabase();
  const [first, other] = [machineClock(folder.path, 'first'), machineClock(folder.path, 'second')];
  first.set(25);
  other.set(-85);
  await using system = await startOn(`${folder.path}/data`, first, database.url);
  const second = await secondController(system, { folder: folder.path, clock: other });
  onTestFailed(() => void process.stdout.write(system.output() + second.output()));
  try {
    second.start();
    second.startAgent();
    await untilReady(() => readyText(second.baseUrl, second.caFile), isReady);
    await using target = await watchTarget(system.api, ['local', 'second']);
    const { ca_file: caFile, base_url: baseUrl, api_key_uw: Key } = system.quickstart();
    using people = sessions({ baseUrl, caFile });
    const Cookie = await people.begin(Key);
    await vi.waitFor(
      async () => expect(await ask(database.url, 'select count(*) as n from connection_spans')).toBe(2),
      { timeout: 60_000, interval: 500 },
    );
    const agedUs = () =>
      ask(
        database.url,
        `select max(abs(extract(epoch from clock_timestamp()) * 1e6 - last_seen_us)) as n from controllers`,
      );
    for (let i = 0; i < 12; i += 1) {
      await delay(10_000);
      expect(await agedUs()).toBeLessThan(10_000_000);
    }
    const ledger = await readLedger(database.url);
    const spans = await ask(database.url, 'select count(*) as n from connection_spans');
    const unordered = await ask(
      database.url,
      `select count(*) as n from (select recorded_us, lag(recorded_us) over (order by event_no) as before from events) e
      where recorded_us < before - 1000000`,
    );
    say('110 s apart', { ...ledger, hits: target.hits.length, spans, unordered });
    expect(ledger).toMatchObject({ quarantined: 0, down: 0, gaps: 0 });
    expect(ledger.checks).toBeGreaterThanOrEqual(target.hits.length - 20);
    expect([spans, unordered]).toEqual([2, 0]);
    expect(await people.isSignedIn(Cookie)).toBe(true);
  } finally {
    await second.stop();
  }
});

test('a machine that starts a day ahead and is set right keeps its results, and no message waits', async ({
  skip,
}) => {
  skip(missing !== undefined, missing);
  using folder = sceneFolder();
  await using receiver = await startReceiver();
  await using database = await createTestDatabase();
  const { url } = database;
  const clock = machineClock(folder.path, 'machine');
  const start = () =>
    startOn(
      `${folder.path}/data`,
      { ...clock, env: { ...clock.env, VANTAGE_ALLOW_PRIVATE_WEBHOOKS: 'true' } },
      url,
    );
  /** Sets the clock of the machine, and that of its database. */
  const setClocks = async (seconds: number) => {
    clock.set(seconds);
    await withClient(url, (client) => client.query(databaseAhead(seconds)));
  };
  let system = await start();
  onTestFailed(() => void process.stdout.write(system.output()));
  try {
    await notifyEverybody(system.api, receiver.url);
    await using target = await watchTarget(system.api, ['local']);
    await delay(20_000);
    await system.stop();
    await withClient(url, (client) => client.query(ownClock));
    await setClocks(dayS);
    system = await start();
    expect(await ask(url, controllersAheadMinutes)).toBeCloseTo(dayS / 60, 0);
    await system.api.ok('POST', '/devices', {
      Method: 'TCP',
      URL: `127.0.0.1:${await freePort()}`,
      ShortName: 'down',
      FrequencySeconds: 5,
      Attempts: 1,
      Timeout: 3,
      Locations: ['local'],
    });
    await vi.waitFor(() => expect(receiver.state.failed).toBeGreaterThan(0), soon);
    await delay(60_000);
    await setClocks(0);
    await vi.waitFor(async () => expect(await ask(url, controllersAheadMinutes)).toBeLessThan(1), {
      timeout: 420_000,
      interval: 500,
    });
    const { hits } = target;
    const followedAt = performance.now();
    receiver.state.isBroken = false;
    await vi.waitFor(() => expect(receiver.state.delivered).toBeGreaterThan(0), soon);
    const waitedMs = Math.round(performance.now() - followedAt);
    await vi.waitFor(async () => {
      expect(await ask(url, ahead('assignment_spans', 'from_us'))).toBe(0);
      expect(await ask(url, ahead('notifications', 'due_us'))).toBe(0);
      expect(await ask(url, ahead('job_cursors', 'at_us'))).toBe(0);
    }, soon);
    await delay(70_000);
    const ledger = await readLedger(url);
    const checks = await ask(
      url,
      `select count(*) as n from checks c join devices d using (device_no) where d.short_name like 'clock-%'`,
    );
    const waiting = await ask(url, `select count(*) as n from notifications where state = 'Pending'`);
    say('a day ahead', { ...ledger, checks, hits: hits.length, waitedMs, waiting });
    expect(ledger.gaps).toBe(0);
    // Checks in flight when the clock was set right are from the future; an operator can retry them then.
    const reasons = await withClient(url, (client) =>
      client.query('select distinct reason from quarantined'),
    );
    expect([[], [{ reason: 'more than 5 minutes in the future' }]]).toContainEqual(reasons.rows);
    expect(ledger.quarantined).toBeLessThanOrEqual(21);
    expect(checks).toBeGreaterThanOrEqual(hits.length - 20);
    expect(waiting).toBe(0);
  } finally {
    system.api.close();
    await system.stop();
  }
});

/** Gives a database a clock of its own: the functions that tell the time have an offset. */
const ownClock = `create table public.scene_clock (ahead interval not null); insert into public.scene_clock values ('0');
  create function public.clock_timestamp() returns timestamptz language sql volatile
    as 'select pg_catalog.clock_timestamp() + ahead from public.scene_clock';
  create function public.now() returns timestamptz language sql volatile
    as 'select pg_catalog.now() + ahead from public.scene_clock';
  do $$ begin execute format('alter database %I set search_path = public, pg_catalog', current_database()); end $$`;

/** Sets that clock. */
function databaseAhead(seconds: number): string {
  return `update public.scene_clock set ahead = make_interval(secs => ${seconds})`;
}

/** How far the controllers' time is ahead of the true one, minutes. */
const controllersAheadMinutes = `select max(last_seen_us / 60e6) - extract(epoch from pg_catalog.now()) / 60 as n from controllers`;

/** Counts the rows that are later than now by the database's clock. */
function ahead(table: string, column: string): string {
  return `select count(*) as n from ${table} where ${column} > extract(epoch from pg_catalog.now()) * 1e6 + 7200e6`;
}
