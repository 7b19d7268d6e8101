import { dayUs, hourMs } from '@vantage/domain';
import { createLog } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { sql } from 'kysely';
import { beforeEach, expect, test, vi } from 'vitest';
import { createFixtures } from '../../testing/fixtures.ts';
import { useDatabase } from '../../testing/use-database.ts';
import type { Db } from '../db/index.ts';
import { createClockJudge } from './clock-judge.ts';
import { followDatabase, isDatabaseApart, readStoredTime } from './clock-store.ts';
import { createHeldClock } from './held-clock.ts';

const soon = { timeout: 60_000, interval: 20 };
const trueUs = 1_800_000_000_000_000;
let db: Db;
useDatabase((opened) => {
  db = opened;
});

beforeEach(async () => {
  await sql`truncate clock_evidence; delete from agents`.execute(db.kysely);
});

/** A judge on a fake clock that starts wrong by `wrongMs`; the database's clock is right, or the same one. */
async function judgeFixture({ wrongMs = 0, hasOwnDatabase = true } = {}) {
  const clock = createFakeClock(trueUs + wrongMs * 1000);
  const held = createHeldClock(clock, () => clock.monoMs());
  const log = createLog('clock test', 'silent');
  const lines: string[] = [];
  const facts: unknown[] = [];
  for (const level of ['error', 'warn', 'info'] as const)
    vi.spyOn(log, level).mockImplementation((...args: unknown[]) => {
      lines.push(String(args.at(-1)));
      facts.push(args[0]);
    });
  const judge = createClockJudge({
    kysely: db.kysely,
    clock: held,
    log,
    gatewayId: 'this controller',
    isApart: false,
    hostName: 'controller',
    databaseUs: async () => (hasOwnDatabase ? clock.nowUs() : trueUs + clock.monoMs() * 1000),
  });
  await judge.compareNow();
  const ending = new AbortController();
  const running = judge.run(ending.signal);
  return {
    clock,
    held,
    judge,
    lines,
    facts,
    /** Passes time in steps, with a comparison in each. */
    pass: async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 10_000) {
        await clock.advance(10_000);
        for (let i = 0; i < 3; i += 1) await sql`select 1`.execute(db.kysely);
      }
    },
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

async function agentAheadBy(
  aheadMs: number,
  gatewayId = 'this controller',
  hostName = 'elsewhere',
): Promise<void> {
  const rows = createFixtures(db.kysely);
  const accountNo = await rows.account();
  const locationNo = await rows.location(accountNo);
  await rows.agent(
    { accountNo, locationNo },
    {
      state: 'Connected',
      host_name: hostName,
      gateway_id: gatewayId,
      clock_offset_us: -aheadMs * 1000,
    },
  );
}

test('nothing may be deleted before an hour of agreement, and no result refused before half a minute', async () => {
  await using fixture = await judgeFixture();
  const { clock, judge, until } = fixture;
  expect([judge.mayDelete, judge.mayRefuse]).toEqual([false, false]);
  await until(() => expect(judge.mayRefuse).toBe(true));
  expect(judge.mayDelete).toBe(false);
  await clock.advance(hourMs);
  expect(judge.mayDelete).toBe(true);
});

test('a step back by an hour stops deletions and refusals at once, is said once, and ends with the step', async () => {
  await using fixture = await judgeFixture();
  const { clock, judge, lines, until } = fixture;
  await clock.advance(2 * hourMs);
  await until(() => expect(judge.mayDelete).toBe(true));
  clock.stepWall(-hourMs);
  expect([judge.mayDelete, judge.mayRefuse]).toEqual([false, false]);
  await until(() => expect(judge.problem).toContain('60 min behind'));
  await clock.advance(20_000);
  clock.stepWall(hourMs);
  await until(() => expect(judge.problem).toBeUndefined());
  expect(judge.mayDelete).toBe(false);
  expect(lines.filter((line) => line.startsWith('a clock is wrong'))).toHaveLength(1);
  expect(lines).toContain('the clocks agree again');
});

test('a start 60 days ahead of the agents deletes nothing, however long it runs', async () => {
  await agentAheadBy(-60 * 24 * hourMs);
  await using fixture = await judgeFixture();
  const { clock, judge, facts, until } = fixture;
  await until(() => expect(judge.problem).toContain('60 days behind'));
  for (let hour = 0; hour < 5; hour += 1) {
    await clock.advance(hourMs);
    expect([judge.mayDelete, judge.mayRefuse]).toEqual([false, false]);
  }
  expect(facts).toContainEqual(expect.objectContaining({ accounts: [expect.any(String)] }));
});

test('a clock that the agents of one account of three find wrong is said to that account alone', async () => {
  await agentAheadBy(hourMs);
  const [objector] = await db.kysely.selectFrom('agents').select('account_no').execute();
  for (let i = 0; i < 2; i += 1) await agentAheadBy(0, 'this controller', 'controller');
  await using fixture = await judgeFixture();
  await fixture.until(() => expect(fixture.judge.isWrong).toBe(true));
  await vi.waitFor(() => expect(fixture.judge.alarm?.accountNos).toEqual([objector?.account_no]), soon);
  await sql`update agents set clock_offset_us = ${hourMs * -1000}, host_name = 'elsewhere'`.execute(
    db.kysely,
  );
  await vi.waitFor(async () => {
    await fixture.clock.advance(10_000);
    expect(fixture.judge.alarm).toEqual({ reason: fixture.judge.problem, accountNos: undefined });
  }, soon);
});

test('agents of another controller say nothing about the clock of this one', async () => {
  await agentAheadBy(-60 * 24 * hourMs, 'another controller');
  await using fixture = await judgeFixture();
  await fixture.until(() => expect(fixture.judge.mayRefuse).toBe(true));
  expect(fixture.judge.problem).toBeUndefined();
});

test.each([60 * 24 * hourMs, -60 * 24 * hourMs, hourMs, -hourMs])(
  'a start with a clock that is wrong by %s ms runs by the time of the database before anything is stored',
  async (wrongMs) => {
    await using fixture = await judgeFixture({ wrongMs, hasOwnDatabase: false });
    const { clock, held, judge } = fixture;
    expect(Math.abs(held.nowUs() - trueUs)).toBeLessThan(1000);
    expect(judge.isWrong).toBe(true);
    await vi.waitFor(
      () => expect(judge.alarm).toEqual({ reason: judge.problem, accountNos: undefined }),
      soon,
    );
    await clock.advance(2 * hourMs);
    expect(Math.abs(held.nowUs() - trueUs - 2 * hourMs * 1000)).toBeLessThan(1000);
    expect([judge.isWrong, judge.mayDelete]).toEqual([true, false]);
    clock.stepWall(-wrongMs);
    await fixture.until(() => expect(judge.problem).toBeUndefined());
    await vi.waitFor(() => expect(judge.alarm).toBeUndefined(), soon);
  },
);

test('a machine that starts 60 days behind goes on from what was stored', async () => {
  {
    await using before = await judgeFixture();
    await before.judge.advance();
  }
  await using fixture = await judgeFixture({ wrongMs: -60 * 24 * hourMs });
  const { clock, held, judge } = fixture;
  expect(held.nowUs()).toBe(trueUs);
  await clock.advance(3 * hourMs);
  expect(held.nowUs()).toBe(trueUs + 3 * hourMs * 1000);
  expect([judge.isWrong, judge.mayRefuse]).toEqual([true, false]);
  clock.stepWall(60 * 24 * hourMs + 600_000);
  await fixture.until(() => expect(judge.problem).toBeUndefined());
  expect(held.nowUs()).toBe(clock.nowUs());
});

test('on a machine alone that starts 60 days ahead, ages count on from what was stored, and the leap is said', async () => {
  {
    await using before = await judgeFixture();
    await before.judge.advance();
  }
  await using fixture = await judgeFixture({ wrongMs: 60 * 24 * hourMs });
  const { clock, judge, lines } = fixture;
  expect(judge.problem).toContain('60 days after the last time that was stored');
  expect(lines).toContainEqual(expect.stringContaining('the clock may be wrong'));
  expect(judge.isWrong).toBe(false);
  expect(await judge.advance()).toBe(trueUs);
  for (let minute = 1; minute <= 120; minute += 1) {
    await clock.advance(60_000);
    expect(await judge.advance()).toBe(trueUs + minute * 60_000_000);
  }
  expect(judge.mayDelete).toBe(false);
});

test('after an hour in which another machine confirmed the leap, ages count from it', async () => {
  {
    await using before = await judgeFixture();
    await before.judge.advance();
  }
  await agentAheadBy(0);
  await using fixture = await judgeFixture({ wrongMs: 60 * 24 * hourMs });
  const { judge, pass } = fixture;
  await pass(30 * 60_000);
  expect(judge.problem).toBeUndefined();
  expect(await judge.advance()).toBe(trueUs);
  await pass(40 * 60_000);
  expect(judge.mayDelete).toBe(true);
  expect((await judge.advance()) - trueUs).toBeGreaterThan(60 * dayUs);
});

test('the proven time never goes back, and calls far apart let no time pass', async () => {
  await using fixture = await judgeFixture();
  const { clock, judge } = fixture;
  const firstUs = await judge.advance();
  await clock.advance(60_000);
  expect(await judge.advance()).toBe(firstUs + 60_000_000);
  await clock.advance(10 * 60_000);
  expect(await judge.advance()).toBe(firstUs + 60_000_000);
  clock.stepWall(-10 * hourMs);
  expect(await judge.advance()).toBe(firstUs + 60_000_000);
  expect((await readStoredTime(db.kysely))?.agreedUs).toBe(firstUs + 60_000_000);
});

test('a database of this machine is not elsewhere, also under another address', async () => {
  expect(await isDatabaseApart(db.kysely)).toBe(false);
});

test.each([60 * 24 * hourMs, -60 * 24 * hourMs, hourMs, -hourMs])(
  "an operator's command on a host whose clock is wrong by %s ms writes the time of the database",
  async (wrongMs) => {
    const clock = createFakeClock((Date.now() + wrongMs) * 1000);
    const held = createHeldClock(clock, () => clock.monoMs());
    await followDatabase(db.kysely, held);
    expect(Math.abs(held.nowUs() / 1000 - Date.now())).toBeLessThan(30_000);
  },
);
