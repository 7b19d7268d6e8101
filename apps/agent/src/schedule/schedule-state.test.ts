import { expect, test } from 'vitest';
import {
  regularJob as regular,
  retryJob as retry,
  sampleSchedule as schedule,
  secondsOf as seconds,
  atSeconds as us,
} from '../testing/sample-schedules.ts';
import type { CheckJob } from './check-job.ts';
import { createScheduleState, endCheck, repeatCheck } from './schedule-state.ts';

const never = BigInt(Number.MAX_SAFE_INTEGER);

test('a check that was discarded is requested again as what it was; a retry is repeated by its sequence', () => {
  const repeated = (job: CheckJob) => {
    const one = schedule();
    repeatCheck(one, job, us(7));
    return one.requested;
  };
  expect(repeated(regular)).toEqual([{ runRequestId: '', atUs: us(7) }]);
  expect(repeated({ kind: 'requested', atUs: us(1), runRequestId: 'q' })).toEqual([
    { runRequestId: 'q', atUs: us(7) },
  ]);
  expect(repeated(retry('r'))).toEqual([]);
});

test('of the due times that passed during a check the last one is made up for, where it is its own', () => {
  for (const [settings, dueS, leftOut] of [
    [{}, 180, 2],
    [{ fromUs: never, untilUs: BigInt(us(100)) }, 60, 0],
  ] as const) {
    const one = schedule({ busy: true }, settings);
    one.dueUs = us(60);
    expect(endCheck(createScheduleState(), one, us(200))).toBe(leftOut);
    expect([one.busy, seconds(one.freeUs), seconds(one.dueUs)]).toEqual([false, 200, dueS]);
  }
});
