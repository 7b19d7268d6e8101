import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { RunRequest_Kind, RunRequestSchema } from '@vantage/proto';
import { describe, expect, test } from 'vitest';
import { assignment } from '../testing/measurements.ts';
import {
  openSequence as open,
  regularJob as regular,
  retryJob as retry,
  sampleSchedule as schedule,
  second,
  secondsOf as seconds,
  atSeconds as us,
} from '../testing/sample-schedules.ts';
import { midnightUs } from '../testing/scheduler-fixture.ts';
import { applyRunRequest, asOneOff, isOneOffDone, runRequestStep } from './apply-run-request.ts';
import { nextJob } from './check-job.ts';
import { bringForward, type DeviceSchedule, moveClock, reassign } from './device-schedule.ts';
import { noRetrySequence } from './retry-sequence.ts';

describe('a device of another agent', () => {
  test('is never due by itself', () => {
    const one = asOneOff(undefined, assignment(1), midnightUs);
    expect([one.oneOff, nextJob(one).atUs]).toEqual([true, Number.POSITIVE_INFINITY]);
    bringForward(one, us(10));
    moveClock(one, 5 * second, us(15));
    expect(one.dueUs).toBe(Number.POSITIVE_INFINITY);
  });

  test.each([
    ['after its requested check', true, noRetrySequence, regular, [], true],
    ['while another check is requested', true, noRetrySequence, regular, ['q'], false],
    ['after its requested retry', true, open(0, 'r'), retry('r'), [], true],
    ['while another retry is requested', true, open(0, 'r'), retry('s'), [], false],
    ['while a retry is requested, after another check', true, open(0, ''), regular, [], false],
    ['that is its own', false, noRetrySequence, regular, [], false],
  ])('is done: %s', (_what, oneOff, retrySequence, job, ids, isDone) => {
    const requested = ids.map((runRequestId) => ({ runRequestId, atUs: 0 }));
    expect(isOneOffDone(schedule({ oneOff, retrySequence, requested }), job)).toBe(isDone);
  });

  test('has the settings of its newest run request; other settings end the retry sequence', () => {
    const one = asOneOff(undefined, assignment(1), midnightUs);
    one.retrySequence = open(0, 'r');
    asOneOff(one, assignment(1), midnightUs);
    expect(one.retrySequence).toEqual(open(0, 'r'));
    one.gone = true;
    asOneOff(one, assignment(1, { revision: 2 }), midnightUs);
    expect(one).toMatchObject({ assignment: { revision: 2 }, retrySequence: noRetrySequence, gone: false });
    expect(one.dueUs).toBe(Number.POSITIVE_INFINITY);
  });

  test('becomes its own with an assignment', () => {
    const one = asOneOff(undefined, assignment(1), midnightUs);
    one.gone = true;
    reassign(one, assignment(1), us(10));
    expect([one.oneOff, one.gone, seconds(one.dueUs)]).toEqual([false, false, 60]);
  });
});

describe('a run request', () => {
  const { NOW, RETRY, RETRY_DELEGATED } = RunRequest_Kind;
  const settings = { assignment: assignment(1) };
  const unusable = { assignment: assignment(1, { spec: undefined }) };
  const rotates = { assignment: assignment(1, { intervalMs: 0 }) };
  const device = schedule();
  const gone = schedule({ gone: true });
  const oneOff = schedule({ oneOff: true });
  const renewed = schedule({ assignment: assignment(1, { revision: 9 }) });
  test.each<[string, DeviceSchedule | undefined, MessageInitShape<typeof RunRequestSchema>, string]>([
    ['with settings, of an unknown device', undefined, { kind: NOW, ...settings }, 'one-off'],
    ['for a retry with settings, of an unknown device', undefined, { kind: RETRY, ...settings }, 'one-off'],
    ['with settings that cannot be checked', undefined, { kind: NOW, ...unusable }, 'ignore'],
    ['with settings that are never due', undefined, { kind: NOW, ...rotates }, 'ignore'],
    ['of an unknown device', undefined, { kind: NOW }, 'wait'],
    ['for a retry, of an unknown device', undefined, { kind: RETRY }, 'ignore'],
    ['for a delegation, of an unknown device', undefined, { kind: RETRY_DELEGATED, ...settings }, 'ignore'],
    ['of a device that was removed', gone, { kind: NOW }, 'wait'],
    ['with settings, of a device that was removed', gone, { kind: NOW, ...settings }, 'one-off'],
    ['of a one-off device', oneOff, { kind: NOW, revision: 2 }, 'apply'],
    ['with settings, of a one-off device', oneOff, { kind: RETRY, ...settings }, 'one-off'],
    ['for a later revision', device, { kind: NOW, revision: 2 }, 'wait'],
    ['for a later revision with settings', device, { kind: NOW, revision: 2, ...settings }, 'wait'],
    ['for a retry of a later revision', device, { kind: RETRY, revision: 2 }, 'wait'],
    ['for a delegation of a later revision', device, { kind: RETRY_DELEGATED, revision: 2 }, 'apply'],
    ['for this revision', device, { kind: NOW, revision: 1 }, 'apply'],
    ['for an earlier revision', renewed, { kind: NOW, revision: 1 }, 'apply'],
    ['that changes no status', device, { kind: NOW, revision: 0 }, 'apply'],
  ])('%s', (_what, known, request, step) => {
    expect(runRequestStep(known, create(RunRequestSchema, request))).toBe(step);
  });
});

test('a run request runs at its time, or now where that has passed, and once for each id', () => {
  const one = schedule();
  const request = (runRequestId: string, notBeforeS: number) =>
    applyRunRequest(
      one,
      create(RunRequestSchema, {
        kind: RunRequest_Kind.NOW,
        runRequestId,
        notBeforeUs: BigInt(us(notBeforeS)),
      }),
      us(10),
      5000,
    );
  request('late', 5);
  request('later', 30);
  request('soon', 20);
  request('soon', 1);
  expect(one.requested.map(({ runRequestId, atUs }) => [runRequestId, seconds(atUs)])).toEqual([
    ['late', 10],
    ['soon', 20],
    ['later', 30],
  ]);
});
