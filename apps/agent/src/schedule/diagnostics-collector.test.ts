import { create } from '@bufbuild/protobuf';
import { createFakeClock } from '@vantage/kernel/testing';
import type { Measurement, Trace, TraceRequest } from '@vantage/probes';
import { CheckResultSchema, type Diagnostics } from '@vantage/proto';
import { expect, test } from 'vitest';
import { loadPolicy } from '../policy/policy-file.ts';
import { assignment, measured } from '../testing/measurements.ts';
import type { ResultContext } from './check-outcome.ts';
import { createDiagnosticsCollector } from './diagnostics-collector.ts';

const minuteMs = 60_000;

/** A collector whose traceroutes end with `endAll`. */
function createFixture(more: { policy?: string } = {}) {
  const clock = createFakeClock();
  const asked: TraceRequest[] = [];
  const open: ((trace: Trace) => void)[] = [];
  const written: Diagnostics[] = [];
  const state = { sees: true };
  const policy = loadPolicy(more.policy);
  if (!policy.ok) throw new Error(policy.problems.join());
  const collector = createDiagnosticsCollector({
    clock,
    policy: policy.policy,
    trace(request) {
      asked.push(request);
      return new Promise((resolve) => {
        open.push(resolve);
        request.signal.addEventListener('abort', () => resolve({ ok: true, hops: [], reached: false }));
      });
    },
    isOnline: () => state.sees,
    append: (value) => void written.push(value),
  });
  const write = (deviceNo: number, runRequestId: string, context: Omit<ResultContext, 'assignment'>) => {
    const result = create(CheckResultSchema, { deviceNo, startUs: 1000n + BigInt(deviceNo), runRequestId });
    collector.written(result, { assignment: assignment(deviceNo), ...context });
  };
  const fail = (deviceNo: number, isFirstError = true, measurement: Measurement = measured(2)) =>
    write(deviceNo, '', { measurement, isFirstError });
  /** The check of a run request that asks for a traceroute ends with this measurement. */
  const request = (deviceNo: number, measurement: Measurement = measured(1)) => {
    collector.expect(`request-${deviceNo}`);
    write(deviceNo, `request-${deviceNo}`, { measurement, isFirstError: false });
  };
  const endAll = async () => {
    for (const end of open.splice(0)) end({ ok: true, hops: [], reached: true });
    await clock.advance(0);
  };
  return { clock, collector, asked, written, state, fail, request, endAll };
}

test('a failure without answer is traced with the packets of its check, and the trace is written at its end', async () => {
  const { asked, written, fail, endAll } = createFixture();
  fail(7);
  expect(asked).toMatchObject([{ address: '192.0.2.1', port: 80, kind: 'tcp', deadlineMs: 10_000 }]);
  expect(written).toEqual([]);
  await endAll();
  expect(written).toMatchObject([{ deviceNo: 7, startUs: 1007n }]);
  expect(JSON.parse(written[0]?.extendedJson ?? '')).toEqual({ Traceroute: { Reached: true, Hops: [] } });
});

test('only the first error of a retry sequence is traced, and only where no answer came', () => {
  const { asked, fail } = createFixture();
  fail(1, false);
  fail(2, true, measured(3));
  fail(3, true, measured(10));
  fail(4, true, measured(1));
  expect(asked).toEqual([]);
});

test('four traces run at once; other devices get none and may be traced at their next failure', async () => {
  const { asked, fail, endAll } = createFixture();
  for (const deviceNo of [1, 2, 3, 4, 5]) fail(deviceNo);
  expect(asked).toHaveLength(4);
  await endAll();
  fail(5);
  expect(asked).toHaveLength(5);
});

test('a device that flaps is traced once in ten minutes', async () => {
  const { clock, asked, fail, endAll } = createFixture();
  fail(1);
  await endAll();
  await clock.advance(10 * minuteMs - 1);
  fail(1);
  expect(asked).toHaveLength(1);
  await clock.advance(1);
  fail(1);
  expect(asked).toHaveLength(2);
});

test('an offline agent traces nothing, and no agent traces an address that its policy forbids', () => {
  const blind = createFixture();
  blind.state.sees = false;
  blind.fail(1);
  expect(blind.asked).toEqual([]);
  const strict = createFixture({ policy: '{"Networks":{"Deny":["192.0.2.0/24"]}}' });
  strict.fail(1);
  expect(strict.asked).toEqual([]);
});

test('traces end with the agent, and an incomplete one is not written', async () => {
  const { collector, asked, written, fail } = createFixture();
  fail(1);
  await collector.stop();
  expect(asked[0]?.signal.aborted).toBe(true);
  expect(written).toEqual([]);
  fail(2);
  expect(asked).toHaveLength(1);
});

/** The traceroute of the written diagnostics. */
const traceroutes = (written: readonly Diagnostics[]) =>
  written.map(({ extendedJson }) => JSON.parse(extendedJson).Traceroute);

test('a requested traceroute follows a good check too, every time, and beside the traces of failures', async () => {
  const { asked, written, fail, request, endAll } = createFixture();
  for (const deviceNo of [1, 2, 3, 4]) fail(deviceNo);
  request(5);
  expect(asked).toHaveLength(5);
  expect(asked[4]).toMatchObject({ address: '192.0.2.1', port: 80, kind: 'tcp' });
  await endAll();
  request(5);
  await endAll();
  expect(written.map(({ deviceNo }) => deviceNo)).toEqual([1, 2, 3, 4, 5, 5]);
  fail(5, false);
  expect(asked).toHaveLength(6);
});

test('a requested traceroute that is not possible is answered with the reason', () => {
  const { asked, written, request } = createFixture({ policy: '{"Networks":{"Deny":["192.0.2.0/24"]}}' });
  request(1);
  request(2, { ...measured(5), text: 'name not resolved', peers: [] });
  expect(asked).toEqual([]);
  expect(traceroutes(written)).toEqual([
    { NotPossible: expect.stringMatching(/policy/) },
    { NotPossible: 'its check came to no address (name not resolved)' },
  ]);
});

test('four requested traceroutes run at once; a further one is answered at once', async () => {
  const { asked, written, request, endAll } = createFixture();
  for (const deviceNo of [1, 2, 3, 4, 5]) request(deviceNo);
  expect(asked).toHaveLength(4);
  expect(traceroutes(written)).toEqual([{ NotPossible: '4 other requested traceroutes are running' }]);
  await endAll();
  request(5);
  expect(asked).toHaveLength(5);
});

test('of run requests whose checks do not run only the last hundred are remembered', () => {
  const { collector, asked, request } = createFixture();
  collector.expect('forgotten');
  for (let i = 0; i < 100; i += 1) collector.expect(`request-${i}`);
  const context = { assignment: assignment(1), measurement: measured(1), isFirstError: false };
  const answer = (runRequestId: string) =>
    collector.written(create(CheckResultSchema, { deviceNo: 1, startUs: 1n, runRequestId }), context);
  answer('forgotten');
  expect(asked).toEqual([]);
  answer('request-0');
  expect(asked).toHaveLength(1);
  request(200);
  expect(asked).toHaveLength(2);
});

test('a requested traceroute of a check that the agent does not know is answered, too', () => {
  const { collector, asked, written } = createFixture();
  collector.expect('r');
  const result = create(CheckResultSchema, { deviceNo: 1, startUs: 1n, runRequestId: 'r' });
  const unknown = assignment(1, { spec: undefined });
  collector.written(result, { assignment: unknown, measurement: measured(2), isFirstError: true });
  collector.written(result, { assignment: unknown, measurement: measured(2), isFirstError: true });
  expect(asked).toEqual([]);
  expect(traceroutes(written)).toEqual([{ NotPossible: 'the agent does not know its Method' }]);
});
