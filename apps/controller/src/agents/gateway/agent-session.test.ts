import { create } from '@bufbuild/protobuf';
import { createLog } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import {
  AssignmentsSchema,
  type ConnectRequest,
  ConnectRequestSchema,
  type ConnectResponse,
  Goodbye_Reason,
  type UpgradeReport,
  UpgradeReport_State,
} from '@vantage/proto';
import { expect, test, vi } from 'vitest';
import { createSession } from './agent-session.ts';
import { createUpgradeFeed } from './upgrade-feed.ts';

const agent = {
  agentNo: 1,
  agentId: 'a',
  agentName: 'edge',
  accountNo: 1,
  locationNo: 1,
  locationName: 'here',
};
const log = createLog('session test', 'silent');

function sessionWith({
  plan = async function* () {
    yield create(AssignmentsSchema, { snapshot: true, final: true });
  } as () => AsyncGenerator<ReturnType<typeof create<typeof AssignmentsSchema>>>,
  accept = async () => ({ inserted: 0, repeated: 0, quarantined: 0 }),
  upgrade = undefined as { upgradeId: string; version: string } | undefined,
} = {}) {
  const reports: UpgradeReport[] = [];
  const clock = createFakeClock();
  let cuts = 0;
  const session = createSession({
    history: { message: async () => undefined },
    agent,
    sessionId: 'session',
    counter: 1,
    clock,
    log,
    plan: { next: plan, changesAtUs: undefined },
    leave: async () => false,
    runRequests: { async *next() {} },
    upgrades: createUpgradeFeed(
      { open: async () => upgrade, report: (_, report) => reports.push(report) },
      agent,
    ),
    accept,
    takeShare: () => undefined,
    isRefusal: () => false,
    cut: () => {
      cuts += 1;
    },
  });
  return { session, clock, reports, cuts: () => cuts };
}

function heartbeat(sequence: number): ConnectRequest {
  return create(ConnectRequestSchema, {
    message: { case: 'heartbeat', value: { sequence: BigInt(sequence) } },
  });
}

test('an agent that sends and never reads is cut when too many answers wait', async () => {
  const { session, cuts } = sessionWith();
  async function* endless() {
    for (let i = 0; ; i += 1) yield heartbeat(i);
  }
  await session.read(endless());
  expect(session.ended).toBe(true);
  expect(cuts()).toBe(1);
});

test('an agent that says nothing for 25 s is cut', async () => {
  const { session, clock, cuts } = sessionWith();
  void session.read({
    async *[Symbol.asyncIterator]() {
      yield heartbeat(1);
      await new Promise(() => {});
    },
  });
  await clock.advance(24_000);
  expect(cuts()).toBe(0);
  await clock.advance(2_000);
  expect(cuts()).toBe(1);
});

test('a goodbye that is not taken within its grace ends in a cut', async () => {
  const { session, clock, cuts } = sessionWith();
  session.end(Goodbye_Reason.SHUTDOWN, 'ending');
  await clock.advance(1_000);
  expect(cuts()).toBe(0);
  await clock.advance(1_000);
  expect(cuts()).toBe(1);
});

test('a plan that cannot be read is read again a second later, and heartbeats are answered meanwhile', async () => {
  let reads = 0;
  const { session, clock } = sessionWith({
    plan: async function* () {
      reads += 1;
      if (reads === 1) throw new Error('the database is away');
      yield create(AssignmentsSchema, { snapshot: true, final: true });
    },
  });
  const messages = session.messages();
  const kinds: (string | undefined)[] = [(await messages.next()).value?.message.case];
  const next = messages.next();
  await clock.advance(100);
  void session.read({
    async *[Symbol.asyncIterator]() {
      yield heartbeat(1);
      await new Promise(() => {});
    },
  });
  kinds.push((await next).value?.message.case);
  const later = messages.next();
  await clock.advance(900);
  kinds.push((await later).value?.message.case);
  expect(kinds).toEqual(['welcome', 'heartbeatReply', 'assignments']);
  expect(reads).toBe(2);
});

test('changes that come thick are read together, not one by one', async () => {
  let reads = 0;
  const { session, clock } = sessionWith({
    plan: async function* () {
      reads += 1;
      yield create(AssignmentsSchema, { snapshot: reads === 1, final: true });
    },
  });
  const messages = session.messages();
  await messages.next();
  await messages.next();
  const change = messages.next();
  for (let i = 0; i < 50; i += 1) {
    session.refresh('plan');
    await clock.advance(1);
  }
  await clock.advance(200);
  expect((await change).value?.message.case).toBe('assignments');
  expect(reads).toBe(2);
});

test('an upgrade is sent once in a session, and a report of the agent is passed on, fifty at most', async () => {
  const { session, reports } = sessionWith({ upgrade: { upgradeId: 'u', version: '0.3.0' } });
  async function* many() {
    for (let i = 0; i < 60; i += 1)
      yield create(ConnectRequestSchema, {
        message: { case: 'upgradeReport', value: { upgradeId: 'u', state: UpgradeReport_State.DOWNLOADING } },
      });
  }
  const sent: ConnectResponse['message'][] = [];
  const reading = (async () => {
    for await (const { message } of session.messages()) {
      sent.push(message);
      if (message.case === 'upgrade') session.refresh('runRequests');
    }
  })();
  await vi.waitFor(() => expect(sent.some((message) => message.case === 'upgrade')).toBe(true), {
    timeout: 60_000,
  });
  await session.read(many());
  await reading;
  expect(sent.filter((message) => message.case === 'upgrade')).toMatchObject([
    { value: { upgradeId: 'u', version: '0.3.0' } },
  ]);
  expect(reports).toHaveLength(50);
});
