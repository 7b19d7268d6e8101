import { RunRequest_Kind } from '@vantage/proto';
import { expect, test } from 'vitest';
import { assignment } from '../testing/measurements.ts';
import { createSchedulerFixture } from '../testing/scheduler-fixture.ts';

test('a device of another agent is checked once by the run request that brings it, and then dropped', async () => {
  const { clock, scheduler, table, codes, starts, results, request } = createSchedulerFixture();
  codes.splice(0, 1, 2);
  table.replace([assignment(2, { scheduleOffsetMs: 50_000 })]);
  scheduler.start();
  table.runRequest(request(RunRequest_Kind.RETRY, 1, 'retry-0', 0)); // brings no device: passed over
  const borrowed = { ...request(RunRequest_Kind.RETRY, 1, 'retry-1', 20), assignment: assignment(1) };
  table.runRequest(borrowed);
  table.replace([assignment(2, { scheduleOffsetMs: 50_000 })]);
  await clock.advance(10_000);
  table.runRequest(borrowed);
  table.runRequest(request(RunRequest_Kind.RETRY_DELEGATED, 0, 'retry-1', 0));
  await clock.advance(36_000);
  table.runRequest(borrowed);
  await clock.advance(300_000);
  expect(results.flatMap(({ deviceNo }, i) => (deviceNo === 1 ? [starts()[i]] : []))).toEqual([20]);
  expect(results[0]).toMatchObject({ attempt: 1, retryId: 'retry-1', runRequestId: 'request-1' });
  table.runRequest({ ...request(RunRequest_Kind.RETRY, 3, 'retry-1', 0), assignment: assignment(1) });
  await clock.advance(1000);
  expect(results.at(-1)).toMatchObject({ deviceNo: 1, attempt: 3, runRequestId: 'request-3' });
});

test('a check now that comes before the assignment of its device waits for it, 15 s at most, and runs once', async () => {
  const { clock, scheduler, table, results, request } = createSchedulerFixture();
  scheduler.start();
  const checkNow = (id: number) => table.runRequest(request(RunRequest_Kind.NOW, id, '', 0));
  const requestsRun = () =>
    results.flatMap(({ runRequestId }) => (runRequestId === '' ? [] : [runRequestId]));
  checkNow(1);
  checkNow(1); // after a reconnect
  table.runRequest(request(RunRequest_Kind.RETRY, 3, 'retry-1', 0)); // of a device that another agent has now
  table.change([assignment(2)], []);
  await clock.advance(14_000);
  expect(requestsRun()).toEqual([]);
  table.change([assignment(1, { scheduleOffsetMs: 50_000 })], []);
  await clock.advance(1_000);
  expect(requestsRun()).toEqual(['request-1']);
  table.change([], [1]);
  checkNow(1);
  checkNow(2);
  await clock.advance(15_001);
  table.change([assignment(1, { scheduleOffsetMs: 50_000 })], []);
  await clock.advance(5_000);
  expect(requestsRun()).toEqual(['request-1']);
});

test('a check now that comes before the settings it was requested for runs with them, also of a device that was just removed', async () => {
  const { clock, scheduler, table, results, request } = createSchedulerFixture({ takesMs: 2_000 });
  const own = (revision: number) => assignment(1, { revision, scheduleOffsetMs: 50_000 });
  const runs = () =>
    results.flatMap(({ runRequestId, revision }) => (runRequestId === '' ? [] : [[runRequestId, revision]]));
  scheduler.start();
  table.change([own(1)], []);
  table.runRequest({ ...request(RunRequest_Kind.NOW, 1, '', 0), revision: 2 });
  await clock.advance(5_000);
  expect(runs()).toEqual([]);
  table.change([own(2)], []);
  await clock.advance(5_000);
  expect(runs()).toEqual([['request-1', 2]]);
  expect(table.runNow(1)).toBe(true);
  await clock.advance(1_000);
  table.change([], [1]);
  const assigned = { assignment: { ...own(0), revision: 0 } };
  table.runRequest({ ...request(RunRequest_Kind.NOW, 2, '', 0), ...assigned });
  await clock.advance(10_000);
  expect([runs().at(-1), table.size]).toEqual([['request-2', 0], 0]);
});

test('a delegated retry sequence is not retried here', async () => {
  const { clock, scheduler, table, codes, starts, request } = createSchedulerFixture();
  codes.splice(0, 1, 2);
  table.replace([assignment(1, { retriesLocally: false })]);
  scheduler.start();
  await clock.advance(61_000);
  table.runRequest(request(RunRequest_Kind.RETRY_DELEGATED, 0, 'retry-1', 0));
  await clock.advance(60_000);
  expect(starts()).toEqual([60, 120]);
});
