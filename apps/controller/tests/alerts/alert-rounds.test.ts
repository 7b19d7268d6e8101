import { createLog } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { createDb, type Database, type Tables } from '@vantage/storage';
import { createTestDatabase } from '@vantage/testing/database';
import type { Kysely } from 'kysely';
import { expect, test, vi } from 'vitest';
import { runRequests } from '../../src/agents/run-requests/index.ts';
import { createAlerts } from '../../src/alerts/decide/decide-alerts.ts';
import { recordEvents } from '../../src/results/events/record-events.ts';

/** The same, and `onRound` is called when the due alerts are looked for. */
function watched(kysely: Kysely<Tables>, onRound: () => void): Kysely<Tables> {
  return kysely.withPlugin({
    transformQuery: ({ node }) => {
      if (JSON.stringify(node).includes('partition by account_no order by due_us')) onRound();
      return node;
    },
    transformResult: async ({ result }) => result,
  });
}

test('an event that comes during a round begins the next one soon, not after a second', async () => {
  await using database = await createTestDatabase();
  const log = createLog('alerts test', 'silent');
  const db = await createDb({ connection: { url: database.url }, log });
  const clock = createFakeClock();
  const heard = new Map<string, () => void>();
  let rounds = 0;
  const onRound = () => {
    rounds += 1;
    if (rounds === 1) heard.get('events')?.();
  };
  const subscribe: Database['subscribe'] = async (channel, subscriber) => {
    heard.set(channel, () => subscriber(undefined));
    return { [Symbol.asyncDispose]: async () => {} };
  };
  const ending = new AbortController();
  const running = createAlerts({
    clock,
    log,
    recordEvents,
    createRunRequests: runRequests.createRunRequests,
    db: { ...db, kysely: watched(db.kysely, onRound), subscribe },
    enqueue: async () => {},
    withdraw: async () => {},
    withdrawEnds: async () => [],
  }).run(ending.signal);
  try {
    await vi.waitFor(() => expect([rounds, clock.pending]).toEqual([1, 1]), 60_000);
    await clock.advance(60);
    await vi.waitFor(() => expect(rounds).toBe(2), 60_000);
    // Nothing came meanwhile: the third round is a second later.
    await vi.waitFor(() => expect(clock.pending).toBe(1), 60_000);
    await clock.advance(900);
    expect(rounds).toBe(2);
    await clock.advance(100);
    await vi.waitFor(() => expect(rounds).toBe(3), 60_000);
  } finally {
    ending.abort();
    await running;
    await db.close();
  }
});
