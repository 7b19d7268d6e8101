import { systemClock } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { type Database, publish } from '@vantage/storage';
import { createFixtures } from '@vantage/testing/fixtures';
import { useDatabase } from '@vantage/testing/use-database';
import { beforeEach, expect, test, vi } from 'vitest';
import { createCheckNow } from './check-now.ts';

let db: Database;
let deviceNo: number;
let agentNo: number;

useDatabase((opened) => {
  db = opened;
});

beforeEach(async () => {
  const rows = createFixtures(db.kysely);
  const accountNo = await rows.account();
  const locationNo = await rows.location(accountNo);
  ({ agentNo } = await rows.agent({ accountNo, locationNo }, { state: 'Connected' }));
  deviceNo = await rows.device(accountNo, [locationNo]);
  await rows.hold({ deviceNo, agentNo, locationNo, fromUs: 1 });
});

function requests() {
  return db.kysely.selectFrom('run_requests').selectAll().where('device_no', '=', deviceNo).execute();
}

const soon = { timeout: 60_000, interval: 20 };

async function created() {
  return vi.waitFor(async () => {
    const [request] = await requests();
    if (!request) throw new Error('no run request yet');
    return request;
  }, soon);
}

test('the gateway of the agent is notified, and the answer of the agent is returned', async () => {
  const notices: unknown[] = [];
  await using _listening = await db.subscribe('runRequest', (notice) => notices.push(notice));
  const checkNow = createCheckNow({ db, clock: systemClock });
  const answer = checkNow(deviceNo, new AbortController().signal);
  const request = await created();
  expect(request).toMatchObject({ kind: 'Now', agent_no: agentNo, state: 'Open' });
  await vi.waitFor(() => expect(notices).toContainEqual({ agent_no: agentNo }), soon);
  await db.kysely
    .updateTable('run_requests')
    .set({ state: 'Answered', check_id: 'the check' })
    .where('run_request_id', '=', request.run_request_id)
    .execute();
  await publish(db.kysely, 'answer', { run_request_id: request.run_request_id });
  expect(await answer).toEqual({ kind: 'done', checkId: 'the check' });
});

test('without a connected agent the answer comes at once, and no run request is stored', async () => {
  await db.kysely.updateTable('agents').set({ state: 'Away' }).where('agent_no', '=', agentNo).execute();
  const answer = await createCheckNow({ db, clock: systemClock })(deviceNo, new AbortController().signal);
  expect(answer).toMatchObject({
    kind: 'noAgent',
    message: expect.stringMatching(/no agent .* is connected/),
  });
  expect(await requests()).toEqual([]);
});

test('a device that was just created is checked as soon as it is assigned, within 2 seconds', async () => {
  const [span] = await db.kysely
    .deleteFrom('assignment_spans')
    .where('device_no', '=', deviceNo)
    .returningAll()
    .execute();
  const clock = createFakeClock(systemClock.nowUs());
  const answer = createCheckNow({ db, clock })(deviceNo, new AbortController().signal);
  await vi.waitFor(() => clock.advance(100).then(() => expect(clock.monoMs()).toBeGreaterThan(500)), soon);
  expect(await requests()).toEqual([]);
  if (span !== undefined) await db.kysely.insertInto('assignment_spans').values(span).execute();
  // Time passes slower than the database answers, also on a busy machine.
  await vi.waitFor(() => clock.advance(10).then(async () => expect(await requests()).toHaveLength(1)), soon);
  await db.kysely.updateTable('run_requests').set({ state: 'Answered', check_id: 'c' }).execute();
  await vi.waitFor(
    () => clock.advance(500).then(() => expect(answer).resolves.toMatchObject({ kind: 'done' })),
    soon,
  );
});

test('a device that stays without an assignment gets its answer after 2 seconds', async () => {
  await db.kysely.deleteFrom('assignment_spans').where('device_no', '=', deviceNo).execute();
  const clock = createFakeClock(systemClock.nowUs());
  const beganMs = clock.monoMs();
  let isDone = false;
  const answer = createCheckNow({ db, clock })(deviceNo, new AbortController().signal).finally(() => {
    isDone = true;
  });
  await vi.waitFor(() => clock.advance(50).then(() => expect(isDone).toBe(true)), soon);
  expect(await answer).toMatchObject({ kind: 'noAgent' });
  expect(clock.monoMs() - beganMs).toBeGreaterThanOrEqual(2_000);
});

test('the check of a paused device is history: its revision is 0', async () => {
  await db.kysely.updateTable('devices').set({ enabled: false }).where('device_no', '=', deviceNo).execute();
  await db.kysely.deleteFrom('assignment_spans').where('device_no', '=', deviceNo).execute();
  const asking = new AbortController();
  const answer = createCheckNow({ db, clock: systemClock })(deviceNo, asking.signal);
  expect(await created()).toMatchObject({ kind: 'Now', agent_no: agentNo, revision: 0 });
  asking.abort(new Error('gone'));
  await expect(answer).rejects.toThrow('gone');
});

test('a run request expires when the agent does not answer within two Timeouts and a margin', async () => {
  const clock = createFakeClock(systemClock.nowUs());
  const answer = createCheckNow({ db, clock })(deviceNo, new AbortController().signal);
  const { created_us: createdUs, deadline_us: deadlineUs } = await created();
  // Another check of the device may run for its Timeout of 10 s.
  expect(deadlineUs - createdUs).toBe(30_000_000);
  for (let i = 0; i < 50 && (await requests())[0]?.state === 'Open'; i += 1) await clock.advance(1_000);
  expect(await answer).toMatchObject({ kind: 'noAgent', message: expect.stringMatching(/did not answer/) });
  expect(await requests()).toMatchObject([{ state: 'Expired' }]);
});

test('of callers at one time each waits for those before it, and nobody longer than two of the longest Timeout', async () => {
  const asking = new AbortController();
  const checkNow = createCheckNow({ db, clock: createFakeClock(systemClock.nowUs()) });
  const ask = () => checkNow(deviceNo, asking.signal).catch(() => {});
  const withinS = async () =>
    (await requests()).map((each) => (each.deadline_us - each.created_us) / 1e6).sort((a, b) => a - b);
  const [first, second] = [ask(), ask()];
  await vi.waitFor(async () => expect(await withinS()).toEqual([30, 50]), soon);
  const more = Array.from({ length: 12 }, ask);
  await vi.waitFor(async () => expect(await requests()).toHaveLength(14), soon);
  const all = Array.from({ length: 14 }, (_, n) => 10 + Math.min(20 * (n + 1), 240));
  expect(await withinS()).toEqual(all);
  // An answered request is waited for by nobody.
  await db.kysely.updateTable('run_requests').set({ state: 'Answered' }).execute();
  const last = ask();
  await vi.waitFor(async () => expect(await withinS()).toEqual([30, ...all]), soon);
  asking.abort(new Error('gone'));
  await Promise.all([first, second, ...more, last]);
});

test('the wait ends when the caller aborts', async () => {
  const asking = new AbortController();
  const answer = createCheckNow({ db, clock: systemClock })(deviceNo, asking.signal);
  await created();
  asking.abort(new Error('gone'));
  await expect(answer).rejects.toThrow('gone');
});

test('only agents that trace on request get a request for a traceroute, and old ones are named', async () => {
  const checkNow = createCheckNow({ db, clock: systemClock });
  const set = (values: { version?: string; traces_on_request?: boolean }) =>
    db.kysely.updateTable('agents').set(values).where('agent_no', '=', agentNo).execute();
  await set({ version: '0.1.0' });
  expect(await checkNow(deviceNo, new AbortController().signal, true)).toEqual({
    kind: 'noAgent',
    message:
      'no agent that is connected for this device traces on request. Upgrade one of: agent (version 0.1.0)',
  });
  expect(await requests()).toEqual([]);
  await set({ traces_on_request: true });
  const asking = new AbortController();
  const answer = checkNow(deviceNo, asking.signal, true);
  expect(await created()).toMatchObject({ kind: 'Now', agent_no: agentNo, traceroute: true });
  asking.abort(new Error('gone'));
  await expect(answer).rejects.toThrow('gone');
});
