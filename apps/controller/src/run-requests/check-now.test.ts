import { createLog, systemClock } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/harness/database.ts';
import { createDb, type Db, publish } from '../db/index.ts';
import { createFixtures } from '../testing/fixtures.ts';
import { createCheckNow } from './check-now.ts';

const log = createLog('check now test', 'silent');
let database: TestDatabase;
let db: Db;
let deviceNo: number;
let agentNo: number;

beforeAll(async () => {
  database = await createTestDatabase();
  db = await createDb({ connection: { url: database.url }, log });
});

afterAll(async () => {
  await db.close();
  await database[Symbol.asyncDispose]();
});

beforeEach(async () => {
  const rows = createFixtures(db.kysely);
  const accountNo = await rows.account();
  const locationNo = await rows.location(accountNo);
  ({ agentNo } = await rows.agent({ accountNo, locationNo }, { state: 'Connected' }));
  deviceNo = await rows.device(accountNo, [locationNo]);
  await rows.hold({ deviceNo, agentNo, locationNo, fromUs: 1 });
});

function orders() {
  return db.kysely.selectFrom('run_requests').selectAll().where('device_no', '=', deviceNo).execute();
}

const soon = { timeout: 10_000, interval: 20 };

async function placed() {
  return vi.waitFor(async () => {
    const [order] = await orders();
    if (!order) throw new Error('no order yet');
    return order;
  }, soon);
}

test('the agent that holds the device is asked and told of, and its answer is returned', async () => {
  const notices: unknown[] = [];
  await using _listening = await db.subscribe('runRequest', (notice) => notices.push(notice));
  const checkNow = createCheckNow({ db, clock: systemClock });
  const answer = checkNow(deviceNo, new AbortController().signal);
  const order = await placed();
  expect(order).toMatchObject({ kind: 'Now', agent_no: agentNo, state: 'Open' });
  await vi.waitFor(() => expect(notices).toContainEqual({ agent_no: agentNo }), soon);
  await db.kysely
    .updateTable('run_requests')
    .set({ state: 'Answered', check_id: 'the check' })
    .where('run_request_id', '=', order.run_request_id)
    .execute();
  await publish(db.kysely, 'answer', { run_request_id: order.run_request_id });
  expect(await answer).toEqual({ kind: 'done', checkId: 'the check' });
});

test('nobody observes: that is said at once, and no order stays', async () => {
  await db.kysely.updateTable('agents').set({ state: 'Away' }).where('agent_no', '=', agentNo).execute();
  const answer = await createCheckNow({ db, clock: systemClock })(deviceNo, new AbortController().signal);
  expect(answer).toMatchObject({ kind: 'nobody', message: expect.stringMatching(/no agent observes/) });
  expect(await orders()).toEqual([]);
});

test('an agent that does not answer within Timeout and a margin is waited for no longer', async () => {
  const clock = createFakeClock(systemClock.nowUs());
  const answer = createCheckNow({ db, clock })(deviceNo, new AbortController().signal);
  await placed();
  for (let i = 0; i < 50 && (await orders())[0]?.state === 'Open'; i += 1) await clock.advance(1_000);
  expect(await answer).toMatchObject({ kind: 'nobody', message: expect.stringMatching(/did not answer/) });
  expect(await orders()).toMatchObject([{ state: 'Expired' }]);
});

test('who asked and went away is not waited for', async () => {
  const asking = new AbortController();
  const answer = createCheckNow({ db, clock: systemClock })(deviceNo, asking.signal);
  await placed();
  asking.abort(new Error('gone'));
  await expect(answer).rejects.toThrow('gone');
});
