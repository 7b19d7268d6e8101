// Callers with read-only keys request as much history as exists, as often as they may.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type AttackFixture, issueKey } from './harness/attack-fixture.ts';
import { flood } from './harness/crowd.ts';
import { callFrom, type Outcome } from './harness/https-call.ts';
import { writeLongHistory } from './harness/long-history.ts';
import { scenes } from './harness/shared.ts';
import { get, leaveUnread, portsOf } from './harness/unread.ts';

const json = { 'Content-Type': 'application/json' };
const longest = { rounds: 20, maxMs: 12_000 };
const lasts = { maxMs: 130_000 };
/** Reads of all status intervals. */
const readsOfAll = ['/uptime?Limit=1000', '/timeline', '/outages?Limit=1000'];

/** A key of an account with 500 status intervals of each device. */
async function withLongHistory(
  { kysely, rows }: AttackFixture,
  devices: number,
  given?: AttackFixture['hostile'],
): Promise<string> {
  const accountNo = given?.accountNo ?? (await rows.account());
  const locationNo = given?.locationNo ?? (await rows.location(accountNo, { name: 'local' }));
  await writeLongHistory({ kysely, rows }, { accountNo, locationNo, devices, intervals: 500 });
  return given?.key ?? issueKey(kysely, accountNo);
}

let known: Promise<string> | undefined;
/** The key of the hostile account, with half a million status intervals that are written once. */
const hostileKey = () => (known ??= withLongHistory(scenes.fixture, 1_000, scenes.fixture.hostile));

const ask =
  ({ baseUrl, ca }: AttackFixture, key: string, path: string, from = '127.0.0.66') =>
  () =>
    callFrom(from, {
      ca,
      url: `${baseUrl}${path}`,
      headers: { 'Service-API-Key': key, ...json },
      timeoutMs: 100_000,
    });

/** Each read is answered, or refused with what to do. */
function expectAnswers(outcomes: readonly Outcome[]): void {
  const counts = Map.groupBy(outcomes, ({ status }) => status);
  process.stdout.write(
    `  answers: ${[...counts].map(([status, { length }]) => `${length} × ${status}`).join(', ')}\n`,
  );
  for (const { status, text } of outcomes) expect([200, 429], text).toContain(status);
}

test('16 reads of all history at once by one key slow no other account', async () => {
  const key = await hostileKey();
  await scenes.play(
    'reads of all history',
    async (fixture) => {
      const asks = Array.from({ length: 16 }, (_, i) => ask(fixture, key, readsOfAll[i % 3] ?? ''));
      expectAnswers(await flood(asks, longest));
    },
    lasts,
  );
}, 600_000);

test('filters that leave out nearly all history, and the other routes of history, slow no other account', async () => {
  const key = await hostileKey();
  const { api } = scenes.fixture.hostile;
  const [some] = z.array(z.object({ device_id: z.string() })).parse(await api.ok('GET', '/devices?Limit=1'));
  const device = `/devices/${some?.device_id}`;
  const paths = [
    '/outages?MinSeconds=90',
    '/states?With=Day,Settings,LastCheck&Limit=1000',
    '/events?Limit=100&Type=Down',
    '/summary?By=Tag,Location',
    '/audit?Limit=100&Actor=nobody',
    '/devices?Limit=100&Search=zzz',
    `${device}/statistics?Bucket=Hour&With=Phases,Histogram`,
    `/timeline?Device=${some?.device_id}`,
    `${device}/checks?Limit=100`,
    '/timeline?Limit=500',
  ];
  await scenes.play(
    'other reads of history',
    async (fixture) => {
      const asks = Array.from({ length: 64 }, (_, i) => ask(fixture, key, paths[i % paths.length] ?? ''));
      const outcomes = await flood(asks, longest);
      // A list of outages ends where its filters leave out too many, and says how to narrow it.
      for (const { status, text } of outcomes)
        if (status === 400) expect(text).toContain('Timestamp1');
        else expect([200, 429], text).toContain(status);
    },
    lasts,
  );
}, 600_000);

test('reads of all history by six accounts at once, each with many keys, slow no other account', async () => {
  const { fixture } = scenes;
  const accounts = [await hostileKey()];
  for (let i = 0; i < 5; i += 1) accounts.push(await withLongHistory(fixture, 250));
  await scenes.play(
    'reads of all history by six accounts',
    async () => {
      const asks = accounts.flatMap((key) =>
        Array.from({ length: 16 }, (_, i) => ask(fixture, key, readsOfAll[i % 3] ?? '')),
      );
      expectAnswers(await flood(asks, longest));
    },
    lasts,
  );
}, 600_000);

test('great answers of history that their reader leaves unread slow no other account', async () => {
  const key = await hostileKey();
  await scenes.play(
    'unread history',
    async (fixture) => {
      await leaveUnread(portsOf(fixture).rest, {
        from: ['127.0.0.66', '127.0.0.67', '127.0.0.68'],
        connections: 48,
        text: ['/timeline', '/uptime?Limit=1000', '/outages?Limit=1000']
          .map((path) => get(`/v1.1${path}`, key))
          .join(''),
        unreadMs: 15_000,
        bytesPerSecond: 10_000,
      });
    },
    lasts,
  );
}, 600_000);
