// A clock that is wrong takes nothing: no check is lost, no device is falsely Down, nothing is quarantined for its
// time, and it is said within a minute. Real programs, clocks by libfaketime; the database's clock is right.
import { setTimeout as delay } from 'node:timers/promises';
import { createTestDatabase } from '@vantage/testing/database';
import { expect, onTestFailed, test } from 'vitest';
import type { System } from '../harness/system.ts';
import { type FakeWebhookReceiver, startFakeWebhookReceiver } from '../lab/fake-webhook-receiver.ts';
import {
  type Ledger,
  machineClock,
  missing,
  notifyEverybody,
  readLedger,
  readyText,
  type SecondController,
  sceneFolder,
  secondController,
  startOn,
  untilReady,
  watchTarget,
  webhookSecret,
} from './clock-scene.ts';

const hour = 3600;
const days60 = 60 * 24 * hour;
/** Retention is shorter than the error, so a clock that is ahead would make every check too old. */
const retention = { VANTAGE_RETENTION_DAYS: '30' };
/** Records of all checks are stored after this time. */
const settleMs = 8_000;
const isSaid = (text: string) => text.includes('warning: a clock may be wrong');
const isRight = (text: string) => text.startsWith('ready') && !isSaid(text);
const isReady = (text: string) => text.startsWith('ready');

const say = (scene: string, facts: object) =>
  void process.stdout.write(`ledger: ${scene}: ${JSON.stringify(facts)}\n`);

/**
 * Each check that the target saw is stored, but those that were cut by the ends of `ends` agents; nothing else
 * happened.
 */
function expectWhole(ledger: Ledger, { hits, before, ends }: { hits: number; before: Ledger; ends: number }) {
  expect(ledger.checks).toBeGreaterThan(before.checks);
  expect(ledger.checks).toBeGreaterThanOrEqual(hits - ends);
  expect(ledger).toMatchObject({ quarantined: 0, down: 0, gaps: 0 });
}

const ready = (system: System) => () => readyText(system.quickstart().base_url, system.quickstart().ca_file);

test.for([days60, -days60, hour, -hour])(
  'one controller starts with a clock that is wrong by %i s',
  async (seconds, { skip }) => {
    skip(missing !== undefined, missing);
    using folder = sceneFolder();
    await using database = await createTestDatabase();
    const clock = machineClock(folder.path, 'machine');
    const machine = { ...clock, env: { ...clock.env, ...retention } };
    let system = await startOn(folder.path, machine, database.url);
    onTestFailed(() => void process.stdout.write(system.output()));
    try {
      await using target = await watchTarget(system.api, ['local']);
      await delay(30_000);
      await system.stop();
      clock.set(seconds);
      const before = await readLedger(database.url);
      system = await startOn(folder.path, machine, database.url);
      const saidMs = await untilReady(ready(system), isSaid);
      await delay(70_000 + settleMs);
      const ledger = await readLedger(database.url);
      say(`one controller, starts ${seconds} s wrong`, {
        ...ledger,
        hits: target.hits.length,
        before,
        saidMs,
      });
      expectWhole(ledger, { hits: target.hits.length, before, ends: 1 });
    } finally {
      system.api.close();
      await system.stop();
    }
  },
);

test('the clock of one controller jumps by an hour while it runs, in both directions, and a contact hears of it', async ({
  skip,
}) => {
  skip(missing !== undefined, missing);
  using folder = sceneFolder();
  await using database = await createTestDatabase();
  await using receiver = await startFakeWebhookReceiver(webhookSecret);
  const clock = machineClock(folder.path, 'machine');
  const machine = { ...clock, env: { ...clock.env, VANTAGE_ALLOW_PRIVATE_WEBHOOKS: 'true' } };
  await using system = await startOn(`${folder.path}/data`, machine, database.url);
  onTestFailed(() => void process.stdout.write(`${system.output()}\n${receiver.faults.join('\n')}\n`));
  await notifyEverybody(system.api, receiver.url);
  await using target = await watchTarget(system.api, ['local']);
  await delay(20_000);
  const said: number[] = [];
  const heard: number[] = [];
  const before = await readLedger(database.url);
  for (const seconds of [-hour, hour]) {
    clock.set(seconds);
    said.push(await untilReady(ready(system), isSaid));
    heard.push(await untilHeard(receiver, heard.length + 1));
    await delay(40_000);
    clock.set(0);
    await untilReady(ready(system), isRight);
    heard.push(await untilHeard(receiver, heard.length + 1));
  }
  await delay(settleMs);
  const ledger = await readLedger(database.url);
  say('one controller, jumps', { ...ledger, hits: target.hits.length, before, said, heard });
  expect(receiver.faults).toEqual([]);
  expect(receiver.hooks.map(({ type, text }) => [type, text.includes('"Recovered":true')])).toEqual([
    ['clock.wrong', false],
    ['clock.wrong', true],
    ['clock.wrong', false],
    ['clock.wrong', true],
  ]);
  expectWhole(ledger, { hits: target.hits.length, before, ends: 0 });
});

test.for([days60, -days60, hour, -hour])(
  'one of two controllers starts with a clock that is wrong by %i s, and its clock jumps back by an hour later',
  async (seconds, { skip }) => {
    skip(missing !== undefined, missing);
    using folder = sceneFolder();
    await using database = await createTestDatabase();
    const right = machineClock(folder.path, 'first');
    const wrong = machineClock(folder.path, 'second');
    const machine = { ...right, env: { ...right.env, ...retention } };
    await using system = await startOn(`${folder.path}/data`, machine, database.url);
    const second = await secondController(system, { folder: folder.path, clock: wrong });
    onTestFailed(() => void process.stdout.write(system.output() + second.output()));
    try {
      await begin(second);
      await using target = await watchTarget(system.api, ['local', 'second']);
      await delay(30_000);
      await second.stop();
      const before = await readLedger(database.url);
      wrong.set(seconds);
      const said = await beWrong(second, wrong);
      await delay(settleMs);
      const ledger = await readLedger(database.url);
      say(`two controllers, ${seconds} s`, { ...ledger, hits: target.hits.length, before, said });
      expect(await ready(system)()).toSatisfy(isRight);
      expectWhole(ledger, { hits: target.hits.length, before, ends: 1 });
    } finally {
      await second.stop();
    }
  },
);

/** Milliseconds until the receiver has so many messages, or throws after two minutes. */
async function untilHeard({ hooks }: Pick<FakeWebhookReceiver, 'hooks'>, count: number): Promise<number> {
  const fromMs = performance.now();
  while (hooks.length < count) {
    if (performance.now() - fromMs > 120_000)
      throw new Error(`the contact has ${hooks.length} messages only`);
    await delay(250);
  }
  return Math.round(performance.now() - fromMs);
}

async function begin(second: SecondController): Promise<void> {
  second.start();
  second.startAgent();
  await untilReady(() => readyText(second.baseUrl, second.caFile), isReady);
}

/** Starts with the wrong clock, which is mended and jumps back. Returns after how many milliseconds each was said. */
async function beWrong(second: SecondController, clock: { set(seconds: number): void }): Promise<number[]> {
  const read = () => readyText(second.baseUrl, second.caFile);
  const said: number[] = [];
  second.start();
  second.startAgent();
  said.push(await untilReady(read, isSaid));
  await delay(65_000);
  clock.set(0);
  await untilReady(read, isRight);
  clock.set(-hour);
  said.push(await untilReady(read, isSaid));
  await delay(35_000);
  clock.set(0);
  await untilReady(read, isRight);
  return said;
}
