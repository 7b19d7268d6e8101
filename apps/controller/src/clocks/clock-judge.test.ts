import { createLog } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/harness/database.ts';
import { createDb, type Db } from '../db/index.ts';
import { createFixtures } from '../testing/fixtures.ts';
import { createClockJudge } from './clock-judge.ts';
import { createHeldClock } from './held-clock.ts';

const hourMs = 3_600_000;
const soon = { timeout: 20_000, interval: 20 };
let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await createTestDatabase();
  db = await createDb({ connection: { url: database.url }, log: createLog('clock test', 'silent') });
});
afterAll(async () => {
  await db.close();
  await database[Symbol.asyncDispose]();
});

/** A judge on a fake clock; `pass` advances it and waits for the next comparison. */
function judgeFixture() {
  const clock = createFakeClock();
  const held = createHeldClock(clock, () => clock.monoMs());
  const log = createLog('clock test', 'silent');
  const lines: string[] = [];
  for (const level of ['error', 'warn', 'info'] as const)
    vi.spyOn(log, level).mockImplementation((...args: unknown[]) => void lines.push(String(args.at(-1))));
  const judge = createClockJudge({
    kysely: db.kysely,
    clock: held,
    log,
    isDatabaseElsewhere: false,
    hostName: 'controller',
    storedUs: undefined,
  });
  const ending = new AbortController();
  const running = judge.run(ending.signal);
  return {
    clock,
    held,
    judge,
    lines,
    /** Passes time until this holds. */
    until: (holds: () => void) =>
      vi.waitFor(async () => {
        await clock.advance(10_000);
        holds();
      }, soon),
    async [Symbol.asyncDispose]() {
      ending.abort();
      await running;
    },
  };
}

async function agentBehindBy(offsetMs: number): Promise<void> {
  const rows = createFixtures(db.kysely);
  const accountNo = await rows.account();
  const locationNo = await rows.location(accountNo);
  await rows.agent(
    { accountNo, locationNo },
    { state: 'Connected', host_name: 'elsewhere', clock_offset_us: offsetMs * 1000 },
  );
}

test('nothing may be deleted before an hour of agreement, and no result refused before half a minute', async () => {
  await using fixture = judgeFixture();
  const { clock, judge, until } = fixture;
  expect([judge.mayDelete, judge.mayRefuse]).toEqual([false, false]);
  await until(() => expect(judge.mayRefuse).toBe(true));
  expect(judge.mayDelete).toBe(false);
  await clock.advance(hourMs);
  expect(judge.mayDelete).toBe(true);
});

test('a step back by an hour stops deletions and refusals at once, is said once, and ends with the step', async () => {
  await using fixture = judgeFixture();
  const { clock, judge, lines, until } = fixture;
  await clock.advance(2 * hourMs);
  await until(() => expect(judge.mayDelete).toBe(true));
  clock.stepWall(-hourMs);
  expect([judge.mayDelete, judge.mayRefuse]).toEqual([false, false]);
  await until(() => expect(judge.problem).toContain('set back by 60 min'));
  await clock.advance(20_000);
  clock.stepWall(hourMs);
  await until(() => expect(judge.problem).toBeUndefined());
  expect(judge.mayDelete).toBe(false);
  expect(lines.filter((line) => line.startsWith('a clock is wrong'))).toHaveLength(1);
  expect(lines).toContain('the clocks agree again');
});

test('a start 60 days ahead of the agents deletes nothing, however long it runs', async () => {
  await agentBehindBy(60 * 24 * hourMs);
  await using fixture = judgeFixture();
  const { clock, judge, until } = fixture;
  await until(() => expect(judge.problem).toContain('60 days behind'));
  for (let hour = 0; hour < 5; hour += 1) {
    await clock.advance(hourMs);
    expect([judge.mayDelete, judge.mayRefuse]).toEqual([false, false]);
  }
});
