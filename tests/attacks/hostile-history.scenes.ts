// The holders of keys that only read ask for as much history as there is, as often as they may.
import { expect, test } from 'vitest';
import { type AttackFixture, issueKey } from './harness/attack-fixture.ts';
import { flood } from './harness/crowd.ts';
import { callFrom, type Outcome } from './harness/https-call.ts';
import { writeLongHistory } from './harness/long-history.ts';
import { scenes } from './harness/shared.ts';

const json = { 'Content-Type': 'application/json' };
const longest = { rounds: 20, longestMs: 12_000 };
const lasts = { maxMs: 90_000 };
/** Reads of all status intervals. */
const readsOfAll = [
  '/uptime?Limit=1000',
  '/timeline',
  '/outages?Limit=1000',
  '/outages?MinSeconds=90&Limit=1000',
];

/** A key of an account with a million status intervals. */
async function withLongHistory(
  { kysely, rows }: AttackFixture,
  given?: AttackFixture['hostile'],
): Promise<string> {
  const accountNo = given?.accountNo ?? (await rows.account());
  const locationNo = given?.locationNo ?? (await rows.location(accountNo, { name: 'local' }));
  await writeLongHistory({ kysely, rows }, { accountNo, locationNo, devices: 1_000, intervals: 1_000 });
  return given?.key ?? issueKey(kysely, accountNo);
}

const ask =
  ({ baseUrl, ca }: AttackFixture, key: string, path: string, from = '127.0.0.66') =>
  () =>
    callFrom(from, {
      ca,
      url: `${baseUrl}${path}`,
      headers: { 'Service-API-Key': key, ...json },
      timeoutMs: 60_000,
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
  const key = await withLongHistory(scenes.fixture, scenes.fixture.hostile);
  await scenes.play(
    'reads of all history',
    async (fixture) => {
      const asks = Array.from({ length: 16 }, (_, i) => ask(fixture, key, readsOfAll[i % 3] ?? ''));
      expectAnswers(await flood(asks, longest));
    },
    lasts,
  );
}, 400_000);
