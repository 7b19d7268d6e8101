import { dayUs, hourMs } from '@vantage/domain';
import { createLog } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import type { Db } from '@vantage/storage';
import { createFixtures } from '@vantage/testing/fixtures';
import { useDatabase } from '@vantage/testing/use-database';
import { sql } from 'kysely';
import { beforeEach, expect, test, vi } from 'vitest';
import { followDatabase, isDatabaseApart, readDatabaseTime } from './clock-store.ts';
import { createSharedClock } from './shared-clock.ts';
import { createTimeKeeper } from './time-keeper.ts';

const soon = { timeout: 60_000, interval: 20 };
const trueUs = 1_800_000_000_000_000;
let db: Db;
useDatabase((opened) => {
  db = opened;
});

beforeEach(async () => {
  await sql`truncate clock_evidence; delete from agents`.execute(db.kysely);
});

/** The true time passes with the machine's clock, whatever that shows. */
interface World {
  databaseWrongMs: number;
}

/** A controller on a machine that starts wrong by `wrongMs`; `world`: the database has a clock of its own. */
async function keeperFixture({
  wrongMs = 0,
  world,
  isApart = false,
}: {
  readonly wrongMs?: number;
  readonly world?: World;
  readonly isApart?: boolean;
} = {}) {
  const clock = createFakeClock(trueUs + wrongMs * 1000);
  const shared = createSharedClock(clock, () => clock.monoMs());
  const log = createLog('clock test', 'silent');
  const lines: string[] = [];
  const facts: unknown[] = [];
  for (const level of ['error', 'warn', 'info'] as const)
    vi.spyOn(log, level).mockImplementation((...args: unknown[]) => {
      lines.push(String(args.at(-1)));
      facts.push(args[0]);
    });
  const databaseUs = () =>
    world === undefined ? clock.nowUs() : trueUs + (clock.monoMs() + world.databaseWrongMs) * 1000;
  const judge = createTimeKeeper({
    kysely: db.kysely,
    clock: shared,
    log,
    gatewayId: 'this controller',
    isApart,
    hostName: 'controller',
    readTime: async () => ({ ...(await readDatabaseTime(db.kysely)), databaseUs: databaseUs() }),
  });
  await judge.begin();
  const ending = new AbortController();
  const running = judge.run(ending.signal);
  return {
    clock,
    shared,
    judge,
    lines,
    facts,
    /** Its time minus the true one, milliseconds. */
    errorMs: () => Math.round((shared.nowUs() - trueUs) / 1000 - clock.monoMs()),
    /** Passes time in steps, with a comparison in each. */
    pass: async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 10_000) {
        await clock.advance(10_000);
        for (let i = 0; i < 6; i += 1) await sql`select 1`.execute(db.kysely);
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
  await using fixture = await keeperFixture();
  const { clock, judge, until } = fixture;
  expect([judge.mayDelete, judge.mayRefuse]).toEqual([false, false]);
  await until(() => expect(judge.mayRefuse).toBe(true));
  expect(judge.mayDelete).toBe(false);
  await clock.advance(hourMs);
  expect(judge.mayDelete).toBe(true);
});

test('a step back by an hour stops deletions and refusals at once, is said once, and ends with the step', async () => {
  await using fixture = await keeperFixture();
  const { clock, judge, lines, until, errorMs } = fixture;
  await clock.advance(2 * hourMs);
  await until(() => expect(judge.mayDelete).toBe(true));
  clock.stepWall(-hourMs);
  expect([judge.mayDelete, judge.mayRefuse]).toEqual([false, false]);
  await until(() => expect(judge.problem).toContain('60 min behind'));
  await clock.advance(20_000);
  expect(errorMs()).toBe(0);
  clock.stepWall(hourMs);
  await until(() => expect(judge.problem).toBeUndefined());
  expect([judge.mayDelete, errorMs()]).toEqual([false, 0]);
  expect(lines.filter((line) => line.startsWith('a clock is wrong'))).toHaveLength(1);
  expect(lines).toContain('the clocks agree again');
});

test('a start 60 days ahead of the agents deletes nothing, however long it runs', async () => {
  await agentAheadBy(-60 * 24 * hourMs);
  await using fixture = await keeperFixture();
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
  await using fixture = await keeperFixture();
  const { judge, until } = fixture;
  expect(judge.alarm?.accountNos).toEqual([objector?.account_no]);
  await until(() => expect(judge.mayRefuse).toBe(true));
  await sql`update agents set clock_offset_us = ${hourMs * -1000}, host_name = 'elsewhere'`.execute(
    db.kysely,
  );
  await until(() => expect(judge.alarm).toEqual({ reason: judge.problem, accountNos: undefined }));
});

test('agents of another controller say nothing about the clock of this one', async () => {
  await agentAheadBy(-60 * 24 * hourMs, 'another controller');
  await using fixture = await keeperFixture();
  await fixture.until(() => expect(fixture.judge.mayRefuse).toBe(true));
  expect(fixture.judge.problem).toBeUndefined();
});

test.each([60 * 24 * hourMs, -60 * 24 * hourMs, hourMs, -hourMs])(
  'a start with a clock that is wrong by %s ms runs by the time of the database before anything is stored',
  async (wrongMs) => {
    await using fixture = await keeperFixture({ wrongMs, world: { databaseWrongMs: 0 } });
    const { clock, judge, errorMs } = fixture;
    expect(errorMs()).toBe(0);
    expect(judge.alarm).toEqual({ reason: judge.problem, accountNos: undefined });
    await clock.advance(2 * hourMs);
    expect(errorMs()).toBe(0);
    expect(judge.mayDelete).toBe(false);
    clock.stepWall(-wrongMs);
    await fixture.until(() => expect(judge.problem).toBeUndefined());
    expect([judge.alarm, errorMs()]).toEqual([undefined, 0]);
  },
);

test.each([25_000, 110_000, -45_000])(
  'the machine of a second controller is %s ms off: both show the same time',
  async (wrongMs) => {
    const world = { databaseWrongMs: 0 };
    await using first = await keeperFixture({ world });
    await using second = await keeperFixture({ wrongMs, world });
    for (const one of [first, second]) {
      expect(one.errorMs()).toBe(0);
      one.clock.stepWall(wrongMs);
      await one.pass(60_000);
      expect(one.errorMs()).toBe(0);
    }
  },
);

test.each([25_000, -40_000])(
  'a database that is set by %s ms is approached, and time never goes back',
  async (setMs) => {
    const world = { databaseWrongMs: 0 };
    await using fixture = await keeperFixture({ world, isApart: true });
    const { clock, shared, errorMs } = fixture;
    world.databaseWrongMs = setMs;
    for (let i = 0, beforeUs = 0; i < 100; i += 1) {
      await fixture.pass(10_000);
      expect(shared.nowUs()).toBeGreaterThan(beforeUs);
      beforeUs = shared.nowUs();
    }
    expect(clock.monoMs()).toBe(1_000_000);
    expect(errorMs()).toBe(setMs);
  },
);

test.each([60 * 24 * hourMs, -60 * 24 * hourMs, hourMs, -hourMs])(
  'a database whose clock jumps by %s ms changes the time of no controller, also of one that starts meanwhile',
  async (jumpMs) => {
    const world = { databaseWrongMs: 0 };
    await using first = await keeperFixture({ world, isApart: true });
    await first.pass(20_000);
    world.databaseWrongMs = jumpMs;
    await first.until(() => expect(first.judge.problem).toContain("the database's clock"));
    expect([first.errorMs(), first.judge.mayRefuse]).toEqual([0, false]);
    await first.judge.advance();
    await using second = await keeperFixture({
      world: { databaseWrongMs: jumpMs + first.clock.monoMs() },
      isApart: true,
    });
    expect(second.errorMs()).toBe(first.clock.monoMs());
    world.databaseWrongMs = 0;
    await first.until(() => expect(first.judge.problem).toBeUndefined());
    expect(first.errorMs()).toBe(0);
    expect(await readDatabaseTime(db.kysely)).toMatchObject({ correctionUs: 0, correctionNo: 2 });
  },
);

test('a machine alone follows its new time after five minutes, and says so', async () => {
  await using fixture = await keeperFixture();
  await fixture.judge.advance();
  fixture.clock.stepWall(hourMs);
  await fixture.pass(280_000);
  expect([fixture.errorMs(), fixture.judge.problem === undefined]).toEqual([0, false]);
  await fixture.until(() => expect(fixture.errorMs()).toBe(hourMs));
  expect(fixture.lines).toContain('the controller follows the new time of the database');
});

test('two controllers adopt a new time together', async () => {
  const world = { databaseWrongMs: 0 };
  await using first = await keeperFixture({ world });
  await using second = await keeperFixture({ world });
  world.databaseWrongMs = hourMs;
  for (const { clock } of [first, second]) clock.stepWall(hourMs);
  const movedAtS = new Map<object, number>();
  for (let atS = 0; movedAtS.size < 2 && atS < 600; atS += 1)
    for (const one of [first, second]) {
      await one.clock.advance(1_000);
      for (let i = 0; i < 6; i += 1) await sql`select 1`.execute(db.kysely);
      if (one.errorMs() === hourMs && !movedAtS.has(one)) movedAtS.set(one, atS);
    }
  const [a = 0, b = 600] = movedAtS.values();
  expect(a).toBeGreaterThanOrEqual(300);
  expect(Math.abs(a - b)).toBeLessThanOrEqual(2);
});

test('a machine that starts 60 days behind goes on from what was stored', async () => {
  {
    await using before = await keeperFixture();
    await before.judge.advance();
  }
  await using fixture = await keeperFixture({ wrongMs: -60 * 24 * hourMs });
  const { clock, shared, judge, errorMs } = fixture;
  expect(errorMs()).toBe(0);
  await clock.advance(3 * hourMs);
  expect(errorMs()).toBe(0);
  expect([judge.problem === undefined, judge.mayRefuse]).toEqual([false, false]);
  clock.stepWall(60 * 24 * hourMs + 600_000);
  await fixture.until(() => expect(judge.problem).toBeUndefined());
  expect(shared.nowUs()).toBe(clock.nowUs());
});

test('on a machine alone that starts 60 days ahead, ages count on from what was stored, and the leap is said', async () => {
  {
    await using before = await keeperFixture();
    await before.judge.advance();
  }
  await using fixture = await keeperFixture({ wrongMs: 60 * 24 * hourMs });
  const { clock, judge, lines } = fixture;
  expect(judge.problem).toContain('60 days after the last time that was stored');
  expect(lines).toContainEqual(expect.stringContaining('the clock may be wrong'));
  expect(await judge.advance()).toBe(trueUs);
  for (let minute = 1; minute <= 120; minute += 1) {
    await clock.advance(60_000);
    expect(await judge.advance()).toBe(trueUs + minute * 60_000_000);
  }
  expect(judge.mayDelete).toBe(false);
});

test('after an hour in which another machine confirmed the leap, ages count from it', async () => {
  {
    await using before = await keeperFixture();
    await before.judge.advance();
  }
  await agentAheadBy(0);
  await using fixture = await keeperFixture({ wrongMs: 60 * 24 * hourMs });
  const { judge, pass } = fixture;
  await pass(30 * 60_000);
  expect(judge.problem).toBeUndefined();
  expect(await judge.advance()).toBe(trueUs);
  await pass(40 * 60_000);
  expect(judge.mayDelete).toBe(true);
  expect((await judge.advance()) - trueUs).toBeGreaterThan(60 * dayUs);
});

test('the proven time never goes back, and calls far apart let no time pass', async () => {
  await using fixture = await keeperFixture();
  const { clock, judge } = fixture;
  const firstUs = await judge.advance();
  await clock.advance(60_000);
  expect(await judge.advance()).toBe(firstUs + 60_000_000);
  await clock.advance(10 * 60_000);
  expect(await judge.advance()).toBe(firstUs + 60_000_000);
  clock.stepWall(-10 * hourMs);
  expect(await judge.advance()).toBe(firstUs + 60_000_000);
  expect((await readDatabaseTime(db.kysely)).stored?.agreedUs).toBe(firstUs + 60_000_000);
});

test('a database of this machine is not elsewhere, also under another address', async () => {
  expect(await isDatabaseApart(db.kysely)).toBe(false);
});

test.each([60 * 24 * hourMs, -60 * 24 * hourMs, hourMs, -hourMs])(
  "an operator's command on a host whose clock is wrong by %s ms writes the time of the database",
  async (wrongMs) => {
    const clock = createFakeClock((Date.now() + wrongMs) * 1000);
    const shared = createSharedClock(clock, () => clock.monoMs());
    await followDatabase(db.kysely, shared);
    expect(Math.abs(shared.nowUs() / 1000 - Date.now())).toBeLessThan(30_000);
  },
);
