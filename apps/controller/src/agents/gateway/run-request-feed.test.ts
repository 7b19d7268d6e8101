import { createLog, newId, systemClock } from '@vantage/kernel';
import { RunRequest_Kind } from '@vantage/proto';
import { publish } from '@vantage/storage';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { runRequests } from '../run-requests/index.ts';
import { createAssignmentBuilder } from './assignment.ts';
import { createRunRequestFeed } from './run-request-feed.ts';
import { nothing, sealer, useGatewayFixture } from './testing/gateway-fixture.ts';

const bench = useGatewayFixture();

async function requestRetry(
  deviceNo: number,
  agentNo: number,
  locationNo = bench.place.locationNo,
  revision = 1,
) {
  const nowUs = systemClock.nowUs();
  const runRequestId = newId();
  await bench.db.kysely
    .insertInto('run_requests')
    .values({
      run_request_id: runRequestId,
      kind: 'Retry',
      device_no: deviceNo,
      agent_no: agentNo,
      revision,
      location_no: locationNo,
      attempt: 1,
      deadline_us: nowUs + 60_000_000,
      created_us: nowUs,
    })
    .execute();
  return runRequestId;
}

test("a run request for the agent's own device has no assignment, one for another agent's device contains it", async () => {
  const deviceNo = await bench.addDevice({ url: '192.0.2.1:25' });
  const second = await bench.enrolAgent();
  const own = await requestRetry(deviceNo, bench.agent.agentNo);
  const lent = await requestRetry(deviceNo, second.agentNo);
  await bench.db.kysely
    .updateTable('run_requests')
    .set({ traceroute: true })
    .where('run_request_id', '=', lent)
    .execute();
  await using server = await bench.gatewayWith(nothing);
  await using holder = bench.connectTo(server.url);
  expect(await holder.until('runRequest')).toMatchObject({
    runRequestId: own,
    kind: RunRequest_Kind.RETRY,
    deviceNo,
    traceroute: false,
  });
  await using neighbour = bench.connectTo(server.url, { identity: second.identity });
  expect((await neighbour.until('assignments')).upserts).toEqual([]);
  const got = await neighbour.until('runRequest');
  expect(got).toMatchObject({
    runRequestId: lent,
    attempt: 1,
    traceroute: true,
    assignment: { deviceNo, spec: { url: '192.0.2.1:25' } },
  });
});

test("an agent gets no run request of a Location that it left, and never the assignment of another Location's device", async () => {
  const deviceNo = await bench.addDevice({ url: '192.0.2.2:25' });
  const locationNo = await bench.rows.location(bench.place.accountNo);
  const stranger = await bench.enrolAgent({ ...bench.place, locationNo });
  await requestRetry(deviceNo, stranger.agentNo);
  const here = await requestRetry(deviceNo, stranger.agentNo, locationNo);
  await using server = await bench.gatewayWith(nothing);
  await using stream = bench.connectTo(server.url, { identity: stranger.identity });
  const first = await stream.until('runRequest');
  expect([first.runRequestId, first.assignment]).toEqual([here, undefined]);
});

test('a check that is history only goes to a Location that does not check the device, but never to another account', async () => {
  const deviceNo = await bench.addDevice({ url: '192.0.2.3:25' });
  const locationNo = await bench.rows.location(bench.place.accountNo);
  const other = await bench.enrolAgent({ ...bench.place, locationNo });
  const accountNo = await bench.rows.account();
  const foreignNo = await bench.rows.location(accountNo);
  const foreign = await bench.enrolAgent({ accountNo, locationNo: foreignNo });
  await requestRetry(deviceNo, other.agentNo, locationNo, 0);
  await requestRetry(deviceNo, foreign.agentNo, foreignNo, 0);
  await using server = await bench.gatewayWith(nothing);
  await using stream = bench.connectTo(server.url, { identity: other.identity });
  const spec = { url: '192.0.2.3:25' };
  const once = { retriesLocally: false, runImmediately: false, rotationIndex: 0, rotationSize: 1 };
  expect(await stream.until('runRequest')).toMatchObject({
    assignment: { deviceNo, revision: 0, spec, ...once },
  });
  await using elsewhere = bench.connectTo(server.url, { identity: foreign.identity });
  expect((await elsewhere.until('runRequest')).assignment).toBeUndefined();
});

test('a run request that follows a changed secret comes behind the new value, one that follows none comes alone', async () => {
  const { accountNo } = bench.place;
  const secret_id = `token of ${accountNo}`;
  const sealedAs = (value: string) => sealer.seal(value, `secret:${secret_id}`);
  const row = { account_no: accountNo, name: 'token', secret_id, sealed: sealedAs('old') };
  await bench.db.kysely.insertInto('secrets').values(row).execute();
  const deviceNo = await bench.addDevice({ url: `$${'{secret:token}'}.example:7` });
  const other = await bench.addDevice({ url: '192.0.2.4:25' });
  await using server = await bench.gatewayWith(nothing);
  await using stream = bench.connectTo(server.url);
  expect((await stream.until('assignments')).upserts).toMatchObject([
    { deviceNo, spec: { url: 'old.example:7' } },
    { deviceNo: other },
  ]);
  const request = async (device: number) => {
    const runRequestId = await requestRetry(device, bench.agent.agentNo);
    await publish(bench.db.kysely, 'runRequest', { agent_no: bench.agent.agentNo });
    return runRequestId;
  };
  const next = () => stream.firstOf('assignments', 'runRequest');
  const unchanged = await request(deviceNo);
  expect(await next()).toMatchObject({ case: 'runRequest', value: { runRequestId: unchanged } });
  // Nobody notifies the plan: its pause between two readings is no shorter.
  await bench.db.kysely
    .updateTable('secrets')
    .set({ sealed: sealedAs('new'), updated_at: sql`clock_timestamp()` })
    .where('secret_id', '=', secret_id)
    .execute();
  const withoutSecret = await request(other);
  expect(await next()).toMatchObject({ case: 'runRequest', value: { runRequestId: withoutSecret } });
  const changed = await request(deviceNo);
  expect(await next()).toMatchObject({
    case: 'assignments',
    value: { snapshot: false, upserts: [{ deviceNo, spec: { url: 'new.example:7' } }] },
  });
  expect(await next()).toMatchObject({ case: 'runRequest', value: { runRequestId: changed } });
});

/** The messages of each reading of a feed without a session, for this agent. */
function feedFor(agent: { agentNo: number }, changed: Partial<Parameters<typeof createRunRequestFeed>[0]>) {
  const log = createLog('run request feed test', 'silent');
  const feed = createRunRequestFeed({
    kysely: bench.db.kysely,
    runRequests,
    clock: systemClock,
    log,
    agent: { ...agent, ...bench.place, agentId: 'a', agentName: 'a', locationName: 'l' },
    plan: { async *withNewSecrets() {} },
    build: createAssignmentBuilder({ sealer, log }),
    secretsNow: () => async () => new Map(),
    ...changed,
  });
  return async () => {
    const messages = [];
    for await (const message of feed.next()) messages.push(message);
    return messages;
  };
}

/** Fails like a database that is away when it is called for the first time. */
function failingOnce<A extends unknown[], R>(work: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
  let isFirst = true;
  return async (...args) => {
    if (!isFirst) return work(...args);
    isFirst = false;
    throw new Error('Connection terminated unexpectedly');
  };
}

test('run requests that could not be marked as sent come again', async () => {
  const deviceNo = await bench.addDevice({ url: '192.0.2.5:25' });
  const runRequestId = await requestRetry(deviceNo, bench.agent.agentNo);
  const read = feedFor(bench.agent, {
    runRequests: { ...runRequests, setSent: failingOnce(runRequests.setSent) },
  });
  await expect(read()).rejects.toThrow('terminated');
  expect(await read()).toMatchObject([{ case: 'runRequest', value: { runRequestId } }]);
  expect(await read()).toEqual([]);
});

test("another agent's device and a trial wait for the database; what can never be sent holds up nothing", async () => {
  const { accountNo } = bench.place;
  const url = `$${'{secret:code}'}.example:7`;
  const deviceNo = await bench.addDevice({ url });
  const second = await bench.enrolAgent();
  await requestRetry(deviceNo, second.agentNo);
  const device_id = `trial of ${accountNo}`;
  const trial = {
    device_no: 0,
    run_request_id: newId(),
    device_id,
    method: 'TCP',
    sealed: sealer.seal({ url, options: {} }, `device:${device_id}`),
    timeout_s: 10,
    is_offer: false,
    created_us: systemClock.nowUs(),
  };
  const values = async () => new Map([['code', 'old']]);
  const isLent = { ...runRequests, openTrials: async () => [] };
  const isTrial = { ...runRequests, openRunRequests: async () => [], openTrials: async () => [trial] };
  const filled = { case: 'runRequest', value: { assignment: { spec: { url: 'old.example:7' } } } };
  for (const each of [isLent, isTrial]) {
    const secrets = failingOnce(values);
    const read = feedFor(second, { runRequests: each, secretsNow: () => secrets });
    await expect(read()).rejects.toThrow('terminated');
    expect(await read()).toMatchObject([filled]);
  }
  const build = () => Promise.reject(new Error('this device is wrong'));
  expect(await feedFor(second, { runRequests: isTrial, build })()).toEqual([]);
  expect(await feedFor(second, { runRequests: isLent, build })()).toMatchObject([
    { case: 'runRequest', value: { deviceNo } },
  ]);
});
