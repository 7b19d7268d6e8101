// A clock that is wrong takes nothing: no check is lost, no device is falsely Down, nothing is quarantined for its time,
// and it is said within a minute. Real programs, clocks by libfaketime.
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFailed, test } from 'vitest';
import { createTestDatabase } from '../harness/database.ts';
import type { System } from '../harness/system.ts';
import {
  type Ledger,
  machineClock,
  missing,
  readLedger,
  readyText,
  sceneFolder,
  secondController,
  settle,
  startOn,
  untilReady,
  watchTarget,
} from './clock-scene.ts';

const hour = 3600;
const days60 = 60 * 24 * hour;
/** Retention is shorter than the error, so a clock that is ahead would make every check too old. */
const retention = { VANTAGE_RETENTION_DAYS: '30' };
const isSaid = (text: string) => text.includes('warning: a clock may be wrong');
const isRight = (text: string) => text.startsWith('ready') && !isSaid(text);

if (missing !== undefined) process.stdout.write(`scenes of wrong clocks are skipped: ${missing}\n`);

const say = (scene: string, facts: object) =>
  void process.stdout.write(`ledger: ${scene}: ${JSON.stringify(facts)}\n`);

/** Each check that the target saw is stored, and nothing else happened. */
function expectWhole(ledger: Ledger, { hits, before }: { hits: number; before: Ledger }) {
  expect(ledger.checks).toBeGreaterThan(before.checks);
  expect({ missing: Math.max(0, hits - ledger.checks), ...ledger, checks: 0 }).toEqual({
    ...{ missing: 0, checks: 0, quarantined: 0, down: 0, gaps: 0 },
  });
}

const ready = (system: System) => () => readyText(system.quickstart().base_url, system.quickstart().ca_file);

describe.concurrent.skipIf(missing !== undefined)('with one controller', () => {
  const cases = ['elsewhere', 'on the same machine'].flatMap((place) =>
    [days60, -days60, hour, -hour].map((seconds) => ({ place, seconds })),
  );

  test.for(cases)(
    'with the database $place, it starts with a clock that is wrong by $seconds s',
    async ({ place, seconds }) => {
      const isElsewhere = place === 'elsewhere';
      using folder = sceneFolder();
      await using database = isElsewhere ? await createTestDatabase() : undefined;
      const clock = machineClock(folder.path, 'machine');
      const withRetention = { ...clock, env: { ...clock.env, ...retention } };
      let system = await startOn(folder.path, withRetention, database?.url);
      onTestFailed(() => void process.stdout.write(system.output()));
      try {
        await using target = await watchTarget(system.api, ['local']);
        await delay(70_000);
        await settle();
        await system.stop();
        clock.set(seconds);
        system = await startOn(folder.path, withRetention, database?.url);
        const url = system.quickstart().database_url;
        const before = await readLedger(url);
        const isUnseen = !isElsewhere && Math.abs(seconds) === hour && seconds > 0;
        const saidMs = isUnseen ? undefined : await untilReady(ready(system), isSaid);
        await delay(75_000);
        await settle();
        const ledger = await readLedger(url);
        say(`database ${place}, starts ${seconds} s wrong`, {
          ...ledger,
          hits: target.hits.length,
          before,
          saidMs,
        });
        expectWhole(ledger, { hits: target.hits.length - 1, before });
      } finally {
        system.api.close();
        await system.stop();
      }
    },
  );

  test.for(['elsewhere', 'on the same machine'])(
    'with the database %s, its clock jumps by an hour while it runs, in both directions',
    async (place) => {
      const isElsewhere = place === 'elsewhere';
      using folder = sceneFolder();
      await using database = isElsewhere ? await createTestDatabase() : undefined;
      const clock = machineClock(folder.path, 'machine');
      await using system = await startOn(folder.path, clock, database?.url);
      onTestFailed(() => void process.stdout.write(system.output()));
      await using target = await watchTarget(system.api, ['local']);
      await delay(20_000);
      const said: number[] = [];
      const before = await readLedger(system.quickstart().database_url);
      for (const seconds of [-hour, hour]) {
        clock.set(seconds);
        said.push(await untilReady(ready(system), isSaid));
        await delay(40_000);
        clock.set(0);
        await untilReady(ready(system), isRight);
      }
      await settle();
      const ledger = await readLedger(system.quickstart().database_url);
      say(`database ${place}, jumps`, { ...ledger, hits: target.hits.length, before, said });
      expectWhole(ledger, { hits: target.hits.length - 1, before });
    },
  );
});

describe.concurrent.skipIf(missing !== undefined)('with two controllers', () => {
  test.for([days60, -days60, hour, -hour])(
    'one starts with a clock that is wrong by %i s, and one jumps back by an hour',
    async (seconds) => {
      using folder = sceneFolder();
      await using database = await createTestDatabase();
      const right = machineClock(folder.path, 'first');
      const wrong = machineClock(folder.path, 'second');
      await using system = await startOn(
        `${folder.path}/data`,
        { ...right, env: { ...right.env, ...retention } },
        database.url,
      );
      const second = await secondController(system, { folder: folder.path, clock: wrong });
      onTestFailed(() => void process.stdout.write(system.output() + second.output()));
      try {
        second.start();
        second.startAgent();
        const readSecond = () => readyText(second.baseUrl, second.caFile);
        await untilReady(readSecond, (text) => text.startsWith('ready'));
        await using target = await watchTarget(system.api, ['local', 'second']);
        await delay(70_000);
        await second.stop();
        wrong.set(seconds);
        second.start();
        second.startAgent();
        const startMs = await untilReady(readSecond, isSaid);
        const before = await readLedger(database.url);
        await delay(75_000);
        wrong.set(0);
        await untilReady(readSecond, isRight);
        wrong.set(-hour);
        const jumpMs = await untilReady(readSecond, isSaid);
        await delay(35_000);
        wrong.set(0);
        await untilReady(readSecond, isRight);
        await settle();
        const ledger = await readLedger(database.url);
        const isFirstReady = await ready(system)();
        say(`two controllers, ${seconds} s`, {
          ...ledger,
          hits: target.hits.length,
          before,
          startMs,
          jumpMs,
        });
        expect(isFirstReady).toBe('ready\n');
        expectWhole(ledger, { hits: target.hits.length - 2, before });
      } finally {
        await second.stop();
      }
    },
  );
});
