import { createLog, systemClock } from '@vantage/kernel';
import type { TestDatabase } from '@vantage/testing/database';
import { withClient } from '@vantage/testing/postgres-url';
import { useDatabase } from '@vantage/testing/use-database';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { createDb, type Database, publish } from '../index.ts';
import { clientConfig } from '../pool/client-config.ts';
import { startSilentLink } from '../testing/silent-link.ts';
import { inParts } from './channels.ts';
import { createListener } from './listener.ts';

const log = createLog('bus test', 'silent');
const soon = { timeout: 60_000, interval: 20 };
let database: TestDatabase;
let db: Database;

useDatabase((opened, made) => {
  db = opened;
  database = made;
});

test('subscribers get a notification of a transaction at its commit, not before', async () => {
  const notices: unknown[] = [];
  await using _listening = await db.subscribe('answer', (notice) => notices.push(notice));
  await db.kysely.transaction().execute(async (trx) => {
    await publish(trx, 'answer', { run_request_id: 'a' });
    await publish(db.kysely, 'answer', { run_request_id: 'b' });
    await vi.waitFor(() => expect(notices).toEqual([{ run_request_id: 'b' }]), soon);
  });
  await vi.waitFor(() => expect(notices).toEqual([{ run_request_id: 'b' }, { run_request_id: 'a' }]), soon);
});

test('after a broken connection the bus listens again and reports that notifications may be missing', async () => {
  const notices: unknown[] = [];
  await using _listening = await db.subscribe('session', (notice) => notices.push(notice));
  await withClient(database.url, (client) =>
    client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    ),
  );
  await vi.waitFor(() => expect(notices).toEqual([undefined]), soon);
  // The pool may still hold a connection whose end it has not read yet.
  await vi.waitFor(() => publish(db.kysely, 'session', { agent_no: 1 }), soon);
  await vi.waitFor(() => expect(notices).toEqual([undefined, { agent_no: 1 }]), soon);
});

test('a connection that falls silent is made again, and reports that notifications may be missing', async () => {
  await using link = await startSilentLink(database.url);
  const listener = createListener({
    config: clientConfig(link.url, 'vantage listen'),
    clock: systemClock,
    log,
    times: { heartbeatMs: 50, limitMs: 1_000 },
  });
  const notices: unknown[] = [];
  await listener.subscribe('session', (notice) => notices.push(notice));
  await publish(db.kysely, 'session', { agent_no: 1 });
  await vi.waitFor(() => expect(notices).toEqual([{ agent_no: 1 }]), soon);
  for (const newcomers of ['silent', 'pass'] as const) {
    notices.length = 0;
    link.silence(newcomers);
    if (newcomers === 'silent') {
      await vi.waitFor(() => expect(listener.isListening).toBe(false), soon);
      link.heal();
    }
    await vi.waitFor(() => expect(notices).toEqual([undefined]), soon);
    await publish(db.kysely, 'session', { agent_no: 2 });
    await vi.waitFor(() => expect(notices).toEqual([undefined, { agent_no: 2 }]), soon);
    expect(listener.isListening).toBe(true);
  }
  // A subscription that waits for a silent connection gets the next one.
  link.silence('pass');
  await listener.subscribe('answer', (notice) => notices.push(notice));
  await publish(db.kysely, 'answer', { run_request_id: 'a' });
  await vi.waitFor(() => expect(notices).toContainEqual({ run_request_id: 'a' }), soon);
  await listener.close();
});

test('a listener whose connection is cut listens again at once', async () => {
  const listener = createListener({
    config: clientConfig(database.url, 'vantage listen'),
    clock: systemClock,
    log,
  });
  const notices: unknown[] = [];
  await listener.subscribe('session', (notice) => notices.push(notice));
  listener.cut(({ session }) => session === undefined);
  expect(listener.isListening).toBe(true);
  listener.cut(({ openedMs }) => openedMs <= performance.now());
  await vi.waitFor(() => expect(notices).toEqual([undefined]), soon);
  await listener.close();
});

test('channels that are subscribed at once are asked for one after the other, as node-postgres demands', async () => {
  const warnings: string[] = [];
  const note = ({ message }: Error) => void warnings.push(message);
  process.on('warning', note);
  const other = await createDb({ connection: { url: database.url }, log });
  const channels = ['answer', 'session', 'catalog', 'plan', 'events', 'notifications'] as const;
  const listening = await Promise.all(channels.map((channel) => other.subscribe(channel, () => {})));
  for (const one of listening) await one[Symbol.asyncDispose]();
  await other.close();
  await new Promise(setImmediate);
  process.off('warning', note);
  expect(warnings).toEqual([]);
});

test('an ended subscription gets no more notifications', async () => {
  const ended = vi.fn();
  await (await db.subscribe('catalog', ended))[Symbol.asyncDispose]();
  const present = vi.fn();
  await using _listening = await db.subscribe('catalog', present);
  await publish(db.kysely, 'catalog', { location_nos: [1] });
  await vi.waitFor(() => expect(present).toHaveBeenCalledWith({ location_nos: [1] }), soon);
  expect(ended).not.toHaveBeenCalled();
});

test('a payload that cannot be read counts as a missed notification', async () => {
  const notices: unknown[] = [];
  await using _listening = await db.subscribe('plan', (notice) => notices.push(notice));
  for (const text of ['', '{', '{"agent_nos":["1"]}', '{}'])
    await sql`select pg_notify('vantage_plan', ${text})`.execute(db.kysely);
  await vi.waitFor(() => expect(notices).toEqual([undefined, undefined, undefined, undefined]), soon);
});

test('subscribers get all of 3,000 numbers, and nothing for an empty list', async () => {
  const numbers = Array.from({ length: 3_000 }, (_, i) => 2_000_000_000 + i);
  const notices: (readonly number[])[] = [];
  await using _listening = await db.subscribe('catalog', (notice) =>
    notices.push(notice?.location_nos ?? []),
  );
  await publish(db.kysely, 'catalog', { location_nos: [] });
  await publish(db.kysely, 'catalog', { location_nos: numbers });
  await vi.waitFor(() => expect(notices.flat()).toHaveLength(3_000), soon);
  expect(notices.flat()).toEqual(numbers);
  expect(notices).toHaveLength(10);
});

test('the parts of a payload hold all its numbers once, and each part fits into a notification', () => {
  const numbers = fc.array(fc.nat(2_147_483_647), { maxLength: 1_500 });
  fc.assert(
    fc.property(numbers, numbers, (agent_nos, key_nos) => {
      const parts = inParts({ agent_nos, key_nos }) as { agent_nos: number[]; key_nos: number[] }[];
      expect(parts.flatMap((part) => part.agent_nos)).toEqual(agent_nos);
      expect(parts.flatMap((part) => part.key_nos)).toEqual(key_nos);
      for (const part of parts) expect(JSON.stringify(part).length).toBeLessThan(8_000);
    }),
    { numRuns: 50 },
  );
});
