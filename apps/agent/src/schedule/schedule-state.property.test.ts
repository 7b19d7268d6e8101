import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assignment } from '../testing/measurements.ts';
import { midnightUs } from '../testing/scheduler-fixture.ts';
import { beginJob, nextJob } from './check-job.ts';
import { type DeviceSchedule, requestCheck, startOf } from './device-schedule.ts';
import { noRetrySequence } from './retry-sequence.ts';
import {
  beginCheck,
  createScheduleState,
  endCheck,
  enqueue,
  nextStep,
  putAssignment,
  removeDevice,
  type ScheduleState,
} from './schedule-state.ts';
import { skipMissed } from './skipped-checks.ts';

const deviceNo = fc.integer({ min: 1, max: 4 });
const command = fc.oneof(
  fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(20_000) }),
  fc.record({
    kind: fc.constant('put' as const),
    deviceNo,
    intervalMs: fc.integer({ min: 1, max: 10_000 }),
    revision: fc.nat(3),
  }),
  fc.record({ kind: fc.constant('remove' as const), deviceNo }),
  fc.record({ kind: fc.constant('request' as const), deviceNo }),
  fc.record({ kind: fc.constant('start' as const) }),
  fc.record({ kind: fc.constant('end' as const), deviceNo }),
  fc.record({ kind: fc.constant('skip' as const) }),
);
type ScheduleCommand = typeof command extends fc.Arbitrary<infer C> ? C : never;

/** The time of the earliest job, found by looking at every device. */
function earliestUs({ schedules }: ScheduleState): number | undefined {
  const waiting = [...schedules.values()].filter(({ busy, gone }) => !busy && !gone);
  return waiting.length === 0 ? undefined : Math.min(...waiting.map((each) => nextJob(each).atUs));
}

/** Runs commands on a state and keeps a plain list of the checks that run and of all starts. */
function createModel() {
  const state = createScheduleState();
  const running: DeviceSchedule[] = [];
  const starts = new Map<DeviceSchedule, number[]>();
  let nowUs = midnightUs;
  const apply: {
    readonly [K in ScheduleCommand['kind']]: (one: Extract<ScheduleCommand, { kind: K }>) => void;
  } = {
    wait({ ms }) {
      nowUs += ms * 1000;
    },
    put({ kind: _kind, ...settings }) {
      const one = assignment(settings.deviceNo, { ...settings, scheduleOffsetMs: 0 });
      expect(putAssignment(state, one, nowUs, () => noRetrySequence)).toBeUndefined();
    },
    remove: (one) => removeDevice(state, one.deviceNo),
    request(one) {
      const schedule = state.schedules.get(one.deviceNo);
      if (schedule === undefined || schedule.gone) return;
      requestCheck(schedule, '', nowUs);
      enqueue(state, schedule);
    },
    start() {
      const next = nextStep(state, nowUs);
      if (next.kind !== 'due') return;
      expect(running).not.toContain(next.schedule);
      expect(next.job.atUs).toBeLessThanOrEqual(nowUs);
      const startUs = startOf(next.schedule, nowUs);
      beginCheck(state, next.schedule, startUs);
      beginJob(next.schedule, next.job, startUs);
      running.push(next.schedule);
      starts.set(next.schedule, [...(starts.get(next.schedule) ?? []), startUs]);
    },
    end(one) {
      const index = running.findIndex(({ assignment }) => assignment.deviceNo === one.deviceNo);
      const [schedule] = index < 0 ? [] : running.splice(index, 1);
      if (schedule !== undefined) endCheck(state, schedule, nowUs);
    },
    skip() {
      skipMissed(state, nowUs);
    },
  };
  return {
    state,
    running,
    starts,
    now: () => nowUs,
    run(one: ScheduleCommand) {
      const handler = apply[one.kind] as (one: ScheduleCommand) => void;
      handler(one);
    },
  };
}

test('the next step is for the device with the earliest job of all that are assigned and not being checked', () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 60, size: 'max' }), (commands) => {
      const model = createModel();
      for (const one of commands) {
        model.run(one);
        const atUs = earliestUs(model.state);
        const next = nextStep(model.state, model.now());
        if (atUs === undefined) expect(next).toEqual({ kind: 'none' });
        else if (atUs > model.now()) expect(next).toEqual({ kind: 'wait', waitUs: atUs - model.now() });
        else {
          // A requested check that is due goes before a regular one that was due before it.
          expect(next).toMatchObject({ kind: 'due' });
          if (next.kind === 'due') {
            expect(nextJob(next.schedule).atUs).toBe(atUs);
            expect(next.job.atUs).toBeLessThanOrEqual(model.now());
            const { passedOver, requested, dueUs } = next.schedule;
            const untilUs = passedOver ? dueUs : model.now();
            const isRequested = requested.some((each) => each.atUs <= untilUs);
            expect(next.job.kind).toBe(isRequested ? 'requested' : 'regular');
          }
        }
      }
    }),
  );
});

test('starts of a device increase, one device has one running check, and a device that is gone leaves nothing behind', () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 60, size: 'max' }), (commands) => {
      const model = createModel();
      for (const one of commands) model.run(one);
      for (const starts of model.starts.values()) {
        expect(starts).toEqual([...new Set(starts)].sort((a, b) => a - b));
      }
      expect(new Set(model.running).size).toBe(model.running.length);
      for (const deviceNo of [1, 2, 3, 4]) {
        model.run({ kind: 'remove', deviceNo });
        model.run({ kind: 'end', deviceNo });
      }
      expect(model.state.schedules.size).toBe(0);
      expect(nextStep(model.state, model.now())).toEqual({ kind: 'none' });
    }),
  );
});

test('each due time of a device is started, left out and counted, or waits', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(20_000) }),
    fc.constantFrom({ kind: 'start' as const }, { kind: 'end' as const }, { kind: 'skip' as const }),
  );
  fc.assert(
    fc.property(
      fc.integer({ min: 500, max: 10_000 }),
      fc.array(step, { maxLength: 60, size: 'max' }),
      (intervalMs, steps) => {
        const state = createScheduleState();
        let nowUs = midnightUs;
        const one = assignment(1, { intervalMs, scheduleOffsetMs: 0, runImmediately: false });
        putAssignment(state, one, nowUs, () => noRetrySequence);
        const schedule = state.schedules.get(1) ?? expect.fail();
        const firstUs = schedule.dueUs;
        let counted = 0;
        for (const { kind, ...more } of steps) {
          if ('ms' in more) nowUs += more.ms * 1000;
          const next = nextStep(state, nowUs);
          if (kind === 'start' && next.kind === 'due') {
            const startUs = startOf(schedule, nowUs);
            beginCheck(state, schedule, startUs);
            counted += 1 + beginJob(schedule, next.job, startUs).passed;
          }
          if (kind === 'end' && schedule.busy) counted += endCheck(state, schedule, nowUs);
          if (kind === 'skip') for (const { count } of skipMissed(state, nowUs)) counted += count;
          // What is counted is a prefix of the due times; the rest waits, the oldest of them first.
          expect(counted).toBeLessThanOrEqual(Math.floor((nowUs - firstUs) / (intervalMs * 1000)) + 1);
          expect(schedule.dueUs).toBe(firstUs + counted * intervalMs * 1000);
        }
      },
    ),
  );
});
