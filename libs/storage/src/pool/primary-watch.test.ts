import type { TestDatabase } from '@vantage/testing/database';
import { withClient } from '@vantage/testing/postgres-url';
import { useDatabase } from '@vantage/testing/use-database';
import { expect, test } from 'vitest';
import { startSilentLink } from '../testing/silent-link.ts';
import { createPrimaryWatch } from './primary-watch.ts';

const soon = { timeout: 60_000, interval: 10 };
const begins = 'the database does not answer: its connections are cut';
const ends = 'the database answers again';
let database: TestDatabase;
useDatabase((_, made) => {
  database = made;
});

/** A running watch over a link that can fall silent; a busy machine answers within its times. */
async function startWatch() {
  const link = await startSilentLink(database.url);
  const lines: string[] = [];
  const cuts: boolean[][] = [];
  const log = {
    info: (_: object, text: string) => lines.push(text),
    warn: (_: object, text: string) => lines.push(text),
  };
  const ending = new AbortController();
  const watch = createPrimaryWatch({
    url: link.url,
    log,
    // An old connection, and one that was opened after the question.
    cut: (which) =>
      cuts.push([0, performance.now()].map((openedMs) => which({ openedMs, session: undefined }))),
    times: { everyMs: 20, doubtMs: 1_000, limitMs: 2_000 },
  });
  const running = watch.run(ending.signal);
  return {
    link,
    lines,
    cuts,
    async [Symbol.asyncDispose]() {
      ending.abort();
      await link[Symbol.asyncDispose]();
      await running;
    },
  };
}

/** The statements of the watch's connections so far: each question is one transaction. */
const watching = () =>
  withClient(database.url, async (client) => {
    const { rows } = await client.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity where application_name = 'vantage watch' and datname = current_database()`,
    );
    return rows[0]?.n;
  });

test('a host that falls silent is said once, its connections are cut once, and its return is said', async () => {
  await using watch = await startWatch();
  await expect.poll(watching, soon).toBe(1);
  watch.link.silence('silent');
  await expect.poll(() => watch.lines, soon).toEqual([begins]);
  expect(watch.cuts).toEqual([[true, false]]);
  const before = watch.link.connections;
  await expect.poll(() => watch.link.connections, soon).toBeGreaterThan(before + 1);
  watch.link.heal();
  await expect.poll(() => watch.lines, soon).toEqual([begins, ends]);
  expect(watch.cuts).toHaveLength(1);
});

test('when only the open connections are dead, as after a move of the address, they are cut', async () => {
  await using watch = await startWatch();
  await expect.poll(watching, soon).toBe(1);
  watch.link.silence('pass');
  await expect.poll(() => watch.lines, soon).toEqual([begins, ends]);
  expect(watch.cuts).toEqual([[true, false]]);
});

test('a server that refuses or ends connections is not silent', async () => {
  await using watch = await startWatch();
  await expect.poll(watching, soon).toBe(1);
  const before = watch.link.connections;
  watch.link.refuse();
  await expect.poll(() => watch.link.connections, soon).toBeGreaterThan(before + 5);
  watch.link.heal();
  await expect.poll(watching, soon).toBe(1);
  expect([watch.lines, watch.cuts]).toEqual([[], []]);
});
