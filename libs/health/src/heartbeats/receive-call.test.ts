import type { Span } from '@vantage/domain';
import { expect, test } from 'vitest';
import { cronTimes, everyTimes } from './due-times.ts';
import {
  adaptHeartbeat,
  type CallKind,
  type HeartbeatSettings,
  type HeartbeatState,
  maxOpenRuns,
  newHeartbeat,
  rewindHeartbeat,
} from './heartbeat-state.ts';
import { judgeHeartbeat, type MissedCall, nextMomentUs } from './judge-heartbeat.ts';
import { type RunEnd, receiveCall } from './receive-call.ts';

const second = 1_000_000;
const minute = 60 * second;
/** Minutes since 10:00. */
const begin = Date.parse('2026-11-30T10:00Z') * 1000;
const at = (minutes: number) => begin + minutes * minute;
const minutesOf = (us: number) => (us - begin) / minute;

const settings: HeartbeatSettings = {
  due: cronTimes('*/10 * * * *', 'UTC', 2 * minute),
  graceUs: 2 * minute,
  maxRunUs: 5 * minute,
  isEnabled: true,
};
const every: HeartbeatSettings = { ...settings, due: everyTimes(10 * minute) };

/** Plays calls at minutes, and describes what they report. */
function play(
  calls: readonly (readonly [minutes: number, kind: CallKind, runId?: string, exitStatus?: number])[],
  {
    used = settings,
    outages = [],
    until,
  }: { used?: HeartbeatSettings; outages?: readonly Span[]; until?: number } = {},
) {
  let state: HeartbeatState = newHeartbeat(used, begin - minute);
  const said: string[] = [];
  for (const [minutes, kind, runId = '', exitStatus] of calls) {
    const call = { kind, runId, atUs: at(minutes), ...(exitStatus === undefined ? {} : { exitStatus }) };
    const received = receiveCall(state, used, call, outages);
    said.push(...received.missed.map(describe), ...describeEnd(received.end));
    ({ state } = received);
  }
  if (until !== undefined) {
    const judged = judgeHeartbeat(state, used, at(until), outages);
    said.push(...judged.missed.map(describe));
    ({ state } = judged);
  }
  return { said, state };
}

function describe(one: MissedCall): string {
  const what = one.kind === 'late' ? `due ${minutesOf(one.dueUs)}` : `run ${one.run.runId || 'without id'}`;
  return `${minutesOf(one.atUs)}: ${one.isUnsure ? 'unsure' : one.kind}, ${what}`;
}

function describeEnd(end: RunEnd | null): string[] {
  if (end === null) return [];
  const took = end.startedUs === null ? '' : ` after ${(end.atUs - end.startedUs) / minute}`;
  return [`${minutesOf(end.atUs)}: ${end.isGood ? 'good' : 'bad'}${took}`];
}

test('nothing is due before the first call, not even after a log', () => {
  expect(play([[1, 'log']], { until: 500 }).said).toEqual([]);
});

test('a missing call is late at due + grace, each time, until the next call', () => {
  expect(
    play(
      [
        [0, 'success'],
        [31, 'success'],
      ],
      { until: 45 },
    ).said,
  ).toEqual(['0: good', '12: late, due 10', '22: late, due 20', '31: good', '42: late, due 40']);
});

test('a call at the end of the grace is in time; one microsecond later it is late', () => {
  const late = 1 / minute;
  expect(
    play([
      [0, 'success'],
      [12, 'success'],
    ]).said,
  ).toEqual(['0: good', '12: good']);
  expect(
    play([
      [0, 'success'],
      [12 + late, 'success'],
    ]).said,
  ).toHaveLength(3);
});

test('a call up to a minute early counts for the due time that follows, if the one before it was met', () => {
  expect(
    play(
      [
        [0, 'success'],
        [9.5, 'success'],
      ],
      { until: 21 },
    ).said,
  ).toEqual(['0: good', '9.5: good']);
  expect(
    play(
      [
        [0, 'success'],
        [8, 'success'],
      ],
      { until: 13 },
    ).said.at(-1),
  ).toBe('12: late, due 10');
  // The late call of 10:10 is not the early one of 10:20.
  expect(
    play(
      [
        [0, 'success'],
        [19.5, 'success'],
      ],
      { until: 23 },
    ).said.slice(1),
  ).toEqual(['12: late, due 10', '19.5: good']);
});

test('a start meets the due time, and its run has a time limit of its own', () => {
  const calls = [
    [0, 'start', 'a'],
    [4, 'success', 'a'],
    [10, 'start', 'b'],
  ] as const;
  expect(play(calls, { until: 25 }).said).toEqual([
    '4: good after 4',
    '15: overrun, run b',
    '22: late, due 20',
  ]);
});

test('runs overlap by their ids, and each end has the duration of its own run', () => {
  const calls = [
    [0, 'start', 'a'],
    [3, 'start', 'b'],
    [4, 'success', 'a'],
    [5, 'exit', 'b', 3],
  ] as const;
  expect(play(calls).said).toEqual(['4: good after 4', '5: bad after 2']);
});

test('a run without id that begins again keeps its limit, so a job that dies each time is noticed', () => {
  const slow = { ...settings, maxRunUs: 15 * minute };
  expect(
    play(
      [
        [0, 'start'],
        [10, 'start'],
        [20, 'start'],
      ],
      { used: slow },
    ).said,
  ).toEqual(['15: overrun, run without id']);
  expect(
    play(
      [
        [0, 'start'],
        [10, 'start'],
        [11, 'success'],
      ],
      { used: slow, until: 16 },
    ).said,
  ).toEqual(['11: good after 1']);
});

test('the late end of an overdue run does not meet a later due time', () => {
  expect(
    play(
      [
        [0, 'start', 'a'],
        [11, 'success', 'a'],
      ],
      { until: 13 },
    ).said,
  ).toEqual(['5: overrun, run a', '11: good after 11', '12: late, due 10']);
});

test('an exit status of 0 is good, every other one and a fail are bad, and both meet the due time', () => {
  const calls = [
    [0, 'exit', '', 0],
    [10, 'exit', '', 255],
    [20, 'fail'],
  ] as const;
  expect(play(calls).said).toEqual(['0: good', '10: bad', '20: bad']);
});

test('an outage makes a missing call unsure, one grace after its end; what was due in it is one', () => {
  const outages = [{ fromUs: at(11), toUs: at(35) }];
  expect(play([[0, 'success']], { outages, until: 43 }).said).toEqual([
    '0: good',
    '37: unsure, due 10',
    '42: late, due 40',
  ]);
  expect(
    play(
      [
        [0, 'success'],
        [36, 'success'],
      ],
      { outages },
    ).said,
  ).toEqual(['0: good', '36: good']);
});

test('an outage before the window changes nothing', () => {
  const outages = [{ fromUs: at(2), toUs: at(8) }];
  expect(play([[0, 'success']], { outages, until: 13 }).said.at(-1)).toBe('12: late, due 10');
  // With a Frequency each moment since the last call counts: the lost call may have been early.
  expect(play([[0, 'success']], { used: every, outages, until: 13 }).said.at(-1)).toBe('12: unsure, due 10');
});

test('the end of a run may be lost in an outage', () => {
  const outages = [{ fromUs: at(2), toUs: at(4) }];
  expect(play([[0, 'start', 'a']], { outages, until: 7 }).said).toEqual(['6: unsure, run a']);
});

test('with a Frequency each call restarts the interval', () => {
  const calls = [
    [0, 'start', 'a'],
    [4, 'success', 'a'],
  ] as const;
  expect(play(calls, { used: every, until: 27 }).said.slice(1)).toEqual([
    '16: late, due 14',
    '26: late, due 24',
  ]);
});

test('a pause forgets what was due; afterwards counting starts again', () => {
  const { state } = play([
    [0, 'success'],
    [0.5, 'start', 'a'],
  ]);
  const paused = adaptHeartbeat(state, { ...settings, isEnabled: false }, at(1));
  expect(paused).toMatchObject({ dueUs: null, runs: [] });
  expect(nextMomentUs(paused, { ...settings, isEnabled: false })).toBeUndefined();
  const call = { kind: 'success', runId: '', atUs: at(30) } as const;
  const called = receiveCall(paused, { ...settings, isEnabled: false }, call, []).state;
  expect(called.dueUs).toBeNull();
  expect(adaptHeartbeat(called, settings, at(35)).dueUs).toBe(at(40));
});

test('other due times count again; another grace does not', () => {
  const { state } = play([[0, 'success']]);
  const hourly = { ...settings, due: cronTimes('0 * * * *', 'UTC', settings.graceUs) };
  expect(adaptHeartbeat(state, hourly, at(11)).dueUs).toBe(at(60));
  const patient = { ...settings, graceUs: 5 * minute };
  expect(adaptHeartbeat(state, patient, at(11))).toBe(state);
  expect(nextMomentUs(state, patient)).toBe(at(15));
});

test('a device that waits for its first call goes on waiting', () => {
  const paused = adaptHeartbeat(newHeartbeat(settings, begin), { ...settings, isEnabled: false }, at(1));
  expect(adaptHeartbeat(paused, settings, at(2)).dueUs).toBeNull();
});

test('a clock that was set back leaves nothing in the future', () => {
  const { state } = play([
    [600, 'success'],
    [600, 'start', 'a'],
  ]);
  const rewound = rewindHeartbeat(state, settings, at(5));
  expect(rewound).toMatchObject({
    atUs: at(5),
    dueUs: at(10),
    lastCall: { atUs: at(5) },
    runs: [{ firstUs: at(5) }],
  });
  expect(rewindHeartbeat(state, settings, at(599.5))).toBe(state);
});

test('the runs of a device are bounded: overdue ones are forgotten first', () => {
  const starts = Array.from({ length: maxOpenRuns + 1 }, (_, i) => [i / 1000, 'start', `run ${i}`] as const);
  const { state } = play(starts);
  expect(state.runs).toHaveLength(maxOpenRuns);
  expect(state.runs[0]?.runId).toBe('run 1');
  const next = receiveCall(state, settings, { kind: 'start', runId: 'new', atUs: at(5.05) }, []).state;
  expect(next.runs.filter(({ isOverdue }) => isOverdue)).toHaveLength(48);
  expect(next.runs).toHaveLength(maxOpenRuns);
});
