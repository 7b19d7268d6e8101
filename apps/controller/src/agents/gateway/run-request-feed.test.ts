import { newId, systemClock } from '@vantage/kernel';
import { RunRequest_Kind } from '@vantage/proto';
import { expect, test } from 'vitest';
import { nothing, useGatewayFixture } from './testing/gateway-fixture.ts';

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
  expect(await stream.until('runRequest')).toMatchObject({ assignment: { deviceNo, revision: 0, spec } });
  await using elsewhere = bench.connectTo(server.url, { identity: foreign.identity });
  expect((await elsewhere.until('runRequest')).assignment).toBeUndefined();
});
