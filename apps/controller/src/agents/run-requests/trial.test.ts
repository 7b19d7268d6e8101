import { systemClock } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import type { Database } from '@vantage/storage';
import { createFixtures } from '@vantage/testing/fixtures';
import { useDatabase } from '@vantage/testing/use-database';
import { beforeEach, expect, test, vi } from 'vitest';
import { createRunTrial } from './trial.ts';
import { firstTrialNo, openTrials, type TrialResult, takeTrials } from './trial-store.ts';

let db: Database;
let accountNo: number;
let locationNo: number;
let agentNo: number;

useDatabase((opened) => {
  db = opened;
});

beforeEach(async () => {
  const rows = createFixtures(db.kysely);
  accountNo = await rows.account();
  locationNo = await rows.location(accountNo);
  ({ agentNo } = await rows.agent({ accountNo, locationNo }, { state: 'Connected' }));
});

const measured: TrialResult = {
  startUs: 5,
  code: 1,
  text: 'ok',
  blockMs: 0,
  dnsMs: 1,
  connectMs: 2,
  sslMs: 3,
  ttfbMs: 4,
  ttlbMs: 5,
  dataSize: 6,
  slow: false,
  extended: '{"Address":"a"}',
};
const trial = () => ({
  accountNo,
  locationNo,
  deviceId: 'd',
  method: 'TCP',
  sealed: Buffer.from('x'),
  timeoutS: 3,
  isOffer: false,
});
const never = new AbortController().signal;

async function opened() {
  return vi.waitFor(
    async () => {
      const [one] = await openTrials(db.kysely, agentNo, systemClock.nowUs());
      if (one === undefined) throw new Error('no trial yet');
      return one;
    },
    { timeout: 60_000, interval: 20 },
  );
}

function records(...results: readonly { readonly deviceNo: number; readonly runRequestId: string | null }[]) {
  return {
    results: results.map((one) => ({ result: { ...measured, ...one } })),
    diagnostics: results.map(({ deviceNo }) => ({ diagnostics: { deviceNo } })),
    others: 'kept',
  };
}

const rowsLeft = () =>
  db.kysely.selectFrom('trials').selectAll().where('account_no', '=', accountNo).execute();

test('the answer of the agent that was asked is returned, and the trial is removed', async () => {
  const answer = createRunTrial({ db, clock: systemClock })(trial(), never);
  const { device_no: deviceNo, run_request_id: runRequestId } = await opened();
  expect(deviceNo).toBeGreaterThanOrEqual(firstTrialNo);
  const own = records({ deviceNo, runRequestId }, { deviceNo: 7, runRequestId: null });
  const strangers = [
    takeTrials(db.kysely, agentNo + 1, own),
    takeTrials(db.kysely, agentNo, records({ deviceNo, runRequestId: 'another' })),
    takeTrials(db.kysely, agentNo, records({ deviceNo: deviceNo + 1, runRequestId })),
  ];
  await Promise.all(strangers);
  expect(await rowsLeft()).toMatchObject([{ result: null }]);
  expect(await takeTrials(db.kysely, agentNo, own)).toEqual(records({ deviceNo: 7, runRequestId: null }));
  expect(await answer).toEqual({ kind: 'done', result: measured });
  expect(await rowsLeft()).toEqual([]);
  // The agent may send its result again.
  expect(await takeTrials(db.kysely, agentNo, own)).toEqual(records({ deviceNo: 7, runRequestId: null }));
});

test('records of devices alone cost no statement', async () => {
  const own = records({ deviceNo: 7, runRequestId: 'r' });
  const refusing = new Proxy(db.kysely, {
    get: () => {
      throw new Error('a statement');
    },
  });
  expect(await takeTrials(refusing, agentNo, own)).toBe(own);
});

test('without a connected agent at the Location, and beyond four trials, the answer comes at once', async () => {
  const run = createRunTrial({ db, clock: systemClock });
  const ending = new AbortController();
  const waiting = Array.from({ length: 4 }, () => run(trial(), ending.signal).catch(() => 'ended'));
  await vi.waitFor(async () => expect(await rowsLeft()).toHaveLength(4), { timeout: 60_000 });
  expect(await run(trial(), never)).toMatchObject({
    kind: 'noAgent',
    message: expect.stringMatching(/^4 trials/),
  });
  ending.abort();
  expect(await Promise.all(waiting)).toEqual(['ended', 'ended', 'ended', 'ended']);
  expect(await rowsLeft()).toEqual([]);
  await db.kysely.updateTable('agents').set({ state: 'Away' }).where('agent_no', '=', agentNo).execute();
  expect(await run(trial(), never)).toEqual({
    kind: 'noAgent',
    message: 'no agent of this Location is connected now',
  });
});

test('an agent that does not answer is waited for until Timeout and 10 s have passed', async () => {
  const clock = createFakeClock(systemClock.nowUs());
  const answer = createRunTrial({ db, clock })(trial(), never);
  await vi.waitFor(async () => expect(await rowsLeft()).toHaveLength(1), { timeout: 60_000 });
  let outcome: unknown;
  void answer.then((value) => {
    outcome = value;
  });
  await vi.waitFor(
    async () => {
      await clock.advance(500);
      if (outcome === undefined) throw new Error('no answer yet');
    },
    { timeout: 60_000, interval: 5 },
  );
  expect(outcome).toEqual({ kind: 'noAgent', message: 'the agent did not answer in time' });
  expect(await rowsLeft()).toEqual([]);
});
