import { create } from '@bufbuild/protobuf';
import { createLog } from '@vantage/kernel';
import { createFakeClock, type FakeClock } from '@vantage/kernel/testing';
import { UpgradeReport_State as Reported, UpgradeReportSchema } from '@vantage/proto';
import type { Db } from '@vantage/storage';
import { createFixtures } from '@vantage/testing/fixtures';
import { useDatabase } from '@vantage/testing/use-database';
import { beforeEach, expect, test, vi } from 'vitest';
import { recordEvents } from '../../results/events/record-events.ts';
import { createUpgrades, insertRollout } from './index.ts';
import { dueRollouts } from './upgrade-store.ts';

const log = createLog('upgrades test', 'silent');
const soon = { timeout: 60_000, interval: 20 };
let db: Db;
let clock: FakeClock;
let accountNo: number;
let agentNos: number[];
useDatabase((opened) => {
  db = opened;
});

beforeEach(async () => {
  clock = createFakeClock(1_790_000_000_000_000);
  const rows = createFixtures(db.kysely);
  accountNo = await rows.account();
  const locationNo = await rows.location(accountNo, { name: 'Oslo' });
  agentNos = [];
  for (const name of ['a1', 'a2', 'a3']) {
    const agent = await rows.agent({ accountNo, locationNo }, { name, state: 'Connected', version: '0.2.0' });
    agentNos.push(agent.agentNo);
  }
});

const states = async () =>
  (
    await db.kysely
      .selectFrom('agent_upgrades')
      .select(['state', 'reason'])
      .where('agent_no', 'in', agentNos)
      .orderBy('agent_no')
      .execute()
  ).map(({ state, reason }) => (reason === null ? state : `${state}: ${reason}`));
const messages = async () =>
  (
    await db.kysely
      .selectFrom('events')
      .select(['type', 'message'])
      .where('account_no', '=', accountNo)
      .orderBy('event_no')
      .execute()
  ).map(({ type, message }) => `${type}: ${message}`);
const begin = () =>
  db.kysely
    .transaction()
    .execute((trx) => insertRollout(trx, { accountNo, version: '0.3.0', agentNos, nowUs: clock.nowUs() }));
/** Upgrades that lead rollouts until they are disposed. */
function lead() {
  const upgrades = createUpgrades({ db, clock, log, recordEvents });
  const ending = new AbortController();
  const done = upgrades.run(ending.signal);
  return {
    ...upgrades,
    async say(agentNo = 0, state: Reported = Reported.RUNNING, text = '', id?: string) {
      const { upgradeId = '' } = (await upgrades.open(agentNo)) ?? {};
      upgrades.report(
        { agentNo, agentName: 'edge', locationName: 'here' },
        create(UpgradeReportSchema, { upgradeId: id ?? upgradeId, state, text }),
      );
    },
    async [Symbol.asyncDispose]() {
      ending.abort();
      await done;
    },
  };
}
/** Waits until the states are these, while rounds go on. */
const until = (expected: readonly string[]) =>
  vi.waitFor(async () => {
    await clock.advance(2_000);
    expect(await states()).toEqual(expected);
  }, soon);

test('a rollout upgrades one agent after the other share by share, and each has its event', async () => {
  await begin();
  await using upgrades = lead();
  await until(['Started', 'Waiting', 'Waiting']);
  expect(await upgrades.open(agentNos[0] ?? 0)).toMatchObject({ version: '0.3.0' });
  expect(await upgrades.open(agentNos[1] ?? 0)).toBeUndefined();
  await upgrades.say(agentNos[0], Reported.DOWNLOADING);
  await until(['Downloading', 'Waiting', 'Waiting']);
  await upgrades.say(agentNos[0], Reported.RESTARTING);
  await upgrades.say(agentNos[0]);
  await until(['Done', 'Started', 'Waiting']);
  await upgrades.say(agentNos[1]);
  await until(['Done', 'Done', 'Started']);
  await upgrades.say(agentNos[2]);
  await until(['Done', 'Done', 'Done']);
  const all = ['a1', 'a2', 'a3'].map(
    (name) => `AgentUpgraded: Agent ${name} of Location Oslo runs version 0.3.0`,
  );
  expect(await messages()).toEqual(all);
  await vi.waitFor(async () => {
    await clock.advance(2_000);
    expect(await rollouts()).toEqual([{ state: 'Done', reason: null }]);
  }, soon);
});
const rollouts = () =>
  db.kysely.selectFrom('rollouts').select(['state', 'reason']).where('account_no', '=', accountNo).execute();

test('a rollout stops when an agent fails, and says why; a later report of the agent changes nothing', async () => {
  await begin();
  await using upgrades = lead();
  await until(['Started', 'Waiting', 'Waiting']);
  await upgrades.say(agentNos[0], Reported.FAILED, 'the disk is\nfull');
  const stopped = 'Stopped: the rollout stopped, because agent a1 failed: the disk is full';
  await until(['Failed: the disk is full', stopped, stopped]);
  await upgrades.say(agentNos[0], Reported.RUNNING);
  expect(await rollouts()).toEqual([{ state: 'Stopped', reason: 'agent a1 failed: the disk is full' }]);
  expect(await messages()).toEqual([
    'AgentUpgradeFailed: Agent a1 of Location Oslo was not upgraded to version 0.3.0: the disk is full',
  ]);
});

test('the report about an earlier upgrade does not end a new one', async () => {
  await begin();
  await using upgrades = lead();
  await until(['Started', 'Waiting', 'Waiting']);
  const first = await upgrades.open(agentNos[0] ?? 0);
  await upgrades.say(agentNos[0], Reported.FAILED, 'no');
  await vi.waitFor(async () => expect((await states())[0]).toBe('Failed: no'), soon);
  await begin();
  await until(['Started', 'Waiting', 'Waiting']);
  await upgrades.say(agentNos[0], Reported.FAILED, 'no', first?.upgradeId);
  await upgrades.say(agentNos[0], Reported.RESTARTING);
  await until(['Restarting', 'Waiting', 'Waiting']);
});

test('an agent that does not come back within ten minutes stops the rollout', async () => {
  await begin();
  await using upgrades = lead();
  await until(['Started', 'Waiting', 'Waiting']);
  await upgrades.say(agentNos[0], Reported.RESTARTING);
  await vi.waitFor(async () => expect((await states())[0]).toBe('Restarting'), soon);
  await clock.advance(601_000);
  await vi.waitFor(async () => {
    await clock.advance(2_000);
    expect((await states())[0]).toContain('it did not report within 10 minutes (Restarting)');
    expect((await states())[2]).toContain('Stopped');
  }, soon);
});

test('two controllers lead one rollout as one does, and an agent that is revoked does not hold it up', async () => {
  await begin();
  await using upgrades = lead();
  await using _other = lead();
  await until(['Started', 'Waiting', 'Waiting']);
  const revoke = (agentNo: number) =>
    db.kysely.updateTable('agents').set({ state: 'Revoked' }).where('agent_no', '=', agentNo).execute();
  await revoke(agentNos[0] ?? 0);
  await until(['Stopped: the agent is revoked', 'Started', 'Waiting']);
  await upgrades.say(agentNos[1]);
  await until(['Stopped: the agent is revoked', 'Done', 'Started']);
});

test('a rollout whose agents are all away waits for them, and holds up no other one', async () => {
  const away = (state: 'Away' | 'Connected') =>
    db.kysely.updateTable('agents').set({ state }).where('agent_no', 'in', agentNos).execute();
  const due = async () => {
    const own = await db.kysely
      .selectFrom('rollouts')
      .select('rollout_no')
      .where('account_no', '=', accountNo)
      .execute();
    const all = await dueRollouts(db.kysely);
    return own.filter(({ rollout_no }) => all.includes(rollout_no)).length;
  };
  await away('Away');
  await begin();
  expect(await due()).toBe(0);
  await away('Connected');
  expect(await due()).toBe(1);
  await using _upgrades = lead();
  await until(['Started', 'Waiting', 'Waiting']);
});
