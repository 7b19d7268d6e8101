import type { Span } from '@vantage/domain';
import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cronTimes, type DueTimes, everyTimes } from './due-times.ts';
import {
  adaptHeartbeat,
  type HeartbeatCall,
  type HeartbeatSettings,
  type HeartbeatState,
  newHeartbeat,
  rewindHeartbeat,
} from './heartbeat-state.ts';
import { judgeHeartbeat, type MissedCall } from './judge-heartbeat.ts';
import { receiveCall } from './receive-call.ts';

const second = 1_000_000;

/** The acts of the job at one due time. */
const turn = fc.record({
  is: fc.constantFrom('in time', 'in time', 'in time', 'missing', 'late'),
  /** Where in its window the call comes, as a share. */
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  run: fc.constantFrom('success', 'fail', 'exit', 'run', 'run', 'hanging', 'slow'),
  takes: fc.double({ min: 0, max: 1, noNaN: true }),
});

const share = fc.double({ min: 0, max: 1, noNaN: true });

const history = fc.record({
  schedule: fc.constantFrom(
    {
      times: (graceUs: number) => cronTimes('*/10 * * * *', 'UTC', graceUs),
      graceS: [20, 240],
      from: '2026-11-30T10:00Z',
    },
    {
      times: (graceUs: number) => cronTimes('0 * * * *', 'Europe/Berlin', graceUs),
      graceS: [60, 1700],
      from: '2027-10-30T18:30Z',
    },
    {
      times: (graceUs: number) => cronTimes('30 2 * * *', 'Europe/Berlin', graceUs),
      graceS: [300, 30_000],
      from: '2027-03-20T12:00Z',
    },
    { times: () => everyTimes(300 * second), graceS: [5, 140], from: '2026-11-30T10:00Z' },
  ),
  grace: share,
  maxRun: fc.double({ min: 0.1, max: 3, noNaN: true }),
  turns: fc.array(turn, { minLength: 3, maxLength: 12, size: 'max' }),
  /** Spans in which no controller receives: restarts, cuts, and a clock that jumps ahead. Begin and length in gaps. */
  cuts: fc.array(
    fc.record({
      from: fc.double({ min: 0, max: 12, noNaN: true }),
      length: fc.oneof(
        fc.double({ min: 0.001, max: 0.05, noNaN: true }),
        fc.double({ min: 0.01, max: 3, noNaN: true }),
      ),
    }),
    { maxLength: 3 },
  ),
  /** Moments of the loop that judges, in gaps. */
  ticks: fc.array(fc.double({ min: 0, max: 14, noNaN: true }), { maxLength: 25, size: 'max' }),
  pause: fc.option(fc.record({ from: fc.double({ min: 1, max: 8, noNaN: true }), length: share }), {
    freq: 5,
    nil: null,
  }),
});

type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

interface Made extends HeartbeatCall {
  /** It is the job's word that it runs: a start, or an end without one. */
  readonly isPresence: boolean;
}

/** The world of a history: what the job really did, and what of it arrived. */
function worldOf(one: History) {
  const {
    graceS: [min = 0, max = 0],
  } = one.schedule;
  const graceUs = Math.round(min + one.grace * (max - min)) * second;
  const due = one.schedule.times(graceUs);
  const fromUs = Date.parse(one.schedule.from) * 1000;
  const dues: number[] = [];
  while (dues.length < one.turns.length) dues.push(due.after(dues.at(-1) ?? fromUs));
  const gapUs = (dues[1] ?? 0) - (dues[0] ?? 0);
  const maxRunUs = Math.round((one.maxRun * gapUs) / second) * second + 1;
  const cuts = joined(
    one.cuts.map(({ from, length }) => {
      const cutUs = Math.round(fromUs + from * gapUs);
      return { fromUs: cutUs, toUs: Math.round(cutUs + length * gapUs) + 1 };
    }),
  );
  const made: Made[] = [];
  let lastUs = fromUs;
  for (const [i, { is, at, run, takes }] of one.turns.entries()) {
    if (is === 'missing') continue;
    const dueUs = due.kind === 'every' ? lastUs + gapUs : (dues[i] ?? 0);
    const earlyUs = Math.min(due.earlyUs(dueUs), graceUs);
    const inTimeUs = dueUs - earlyUs + at * (earlyUs + graceUs);
    const lateUs = dueUs + graceUs + 1 + at * (gapUs / 2 - graceUs - 2);
    const startUs = Math.max(lastUs + 2, Math.round(is === 'in time' ? inTimeUs : lateUs));
    lastUs = startUs;
    const runId = `run ${i}`;
    if (run === 'success' || run === 'fail')
      made.push({ kind: run, runId: '', atUs: startUs, isPresence: true });
    else if (run === 'exit')
      made.push({ kind: 'exit', exitStatus: i % 3, runId: '', atUs: startUs, isPresence: true });
    else {
      made.push({ kind: 'start', runId, atUs: startUs, isPresence: true });
      if (run === 'hanging') continue;
      const endUs = startUs + 1 + Math.round(run === 'run' ? takes * (maxRunUs - 1) : maxRunUs * (1 + takes));
      made.push({ kind: 'success', runId, atUs: endUs, isPresence: due.kind === 'every' });
    }
  }
  const pause =
    one.pause === null
      ? null
      : {
          fromUs: Math.round(fromUs + one.pause.from * gapUs),
          toUs: Math.round(fromUs + (one.pause.from + one.pause.length * 3) * gapUs) + 1,
        };
  const settings: HeartbeatSettings = { due, graceUs, maxRunUs, isEnabled: true };
  const calls = distinct(made);
  const arrived = calls.filter(({ atUs }) => !cuts.some((cut) => cut.fromUs <= atUs && atUs < cut.toUs));
  return {
    settings,
    fromUs,
    gapUs,
    cuts,
    calls,
    arrived,
    pause,
    ticks: one.ticks.map((tick) => Math.round(fromUs + tick * gapUs)),
  };
}

type World = ReturnType<typeof worldOf>;

function joined(spans: readonly Span[]): Span[] {
  const all: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.fromUs - b.fromUs)) {
    const last = all.at(-1);
    if (last !== undefined && span.fromUs <= last.toUs)
      all[all.length - 1] = { ...last, toUs: Math.max(last.toUs, span.toUs) };
    else all.push(span);
  }
  return all;
}

/** The calls in order, no two at the same moment. */
function distinct(calls: readonly Made[]): Made[] {
  const found: Made[] = [];
  for (const call of calls.toSorted((a, b) => a.atUs - b.atUs))
    found.push({ ...call, atUs: Math.max(call.atUs, (found.at(-1)?.atUs ?? 0) + 1) });
  return found;
}

/**
 * Plays the part of a world up to `endUs` as controllers see it. Each step starts from the stored state, as after a
 * restart.
 */
function play(world: World, start: HeartbeatState, endUs: number) {
  let state = start;
  const missed: MissedCall[] = [];
  const isCut = (us: number) => world.cuts.some(({ fromUs, toUs }) => fromUs <= us && us < toUs);
  const isPaused = (us: number) => world.pause !== null && world.pause.fromUs <= us && us < world.pause.toUs;
  const steps = [
    ...world.arrived.map((call) => ({ atUs: call.atUs, call })),
    ...[...world.ticks, endUs].filter((us) => !isCut(us)).map((atUs) => ({ atUs, call: undefined })),
    ...(world.pause === null
      ? []
      : [world.pause.fromUs, world.pause.toUs].map((atUs) => ({ atUs, call: undefined }))),
  ]
    .filter(({ atUs }) => atUs <= endUs)
    .sort((a, b) => a.atUs - b.atUs);
  for (const { atUs, call } of steps) {
    const settings = { ...world.settings, isEnabled: !isPaused(atUs) };
    const outages = world.cuts.filter(({ toUs }) => toUs <= atUs);
    const restored: HeartbeatState = JSON.parse(JSON.stringify(state));
    const isChanged = restored.isEnabled !== settings.isEnabled;
    // The loop judges a device before it notices a change of its settings.
    const judged = isChanged
      ? judgeHeartbeat(restored, world.settings, atUs, outages)
      : { state: restored, missed: [] };
    const before = adaptHeartbeat(judged.state, settings, atUs);
    const after =
      call === undefined
        ? judgeHeartbeat(before, settings, atUs, outages)
        : receiveCall(before, settings, call, outages);
    missed.push(...judged.missed, ...after.missed);
    state = after.state;
  }
  return { state, missed };
}

function overlaps(spans: readonly Span[], fromUs: number, toUs: number): boolean {
  return spans.some((span) => span.fromUs <= toUs && span.toUs >= fromUs);
}

/** The oracle: what the job really did decides which reports are right, and which must be there. */
function compare(world: World, missed: readonly MissedCall[], fromUs: number, endUs: number): void {
  const { settings, cuts, calls, arrived, pause } = world;
  const { due, graceUs, maxRunUs } = settings;
  const pauses = pause === null ? [] : [pause];
  const first = arrived.find(({ atUs }) => atUs >= fromUs)?.atUs ?? Number.POSITIVE_INFINITY;
  const presences = calls.filter(({ isPresence }) => isPresence).map(({ atUs }) => atUs);
  for (const [i, one] of missed.entries()) {
    expect(one.atUs).toBeGreaterThanOrEqual(missed[i - 1]?.atUs ?? 0);
    // A pause begins or ends at the moment itself.
    if (pause !== null) expect(one.atUs > pause.fromUs && one.atUs < pause.toUs).toBe(false);
    const begin = one.kind === 'overrun' ? one.run.firstUs : beginOf(due, one.dueUs, one.sinceUs);
    if (one.isUnsure) {
      expect(overlaps(cuts, begin, one.atUs)).toBe(true);
      continue;
    }
    // No false late: the job really made no call in the window, received or not.
    if (one.kind === 'late')
      expect(presences.filter((us) => us > begin && us <= one.dueUs + graceUs)).toEqual([]);
    else
      expect(
        calls.filter(
          ({ kind, runId, atUs }) => kind === 'success' && runId === one.run.runId && atUs <= one.atUs,
        ),
      ).toEqual([]);
  }
  // No missed one: where nobody was away, every absence is reported, at its time.
  const late = missed.filter((one) => one.kind === 'late' && !one.isUnsure);
  const isQuiet = (aUs: number, bUs: number) => !overlaps([...cuts, ...pauses], aUs, bUs);
  if (due.kind === 'cron' && Number.isFinite(first))
    for (let dueUs = due.after(first); dueUs + graceUs < endUs; dueUs = due.after(dueUs)) {
      const begin = beginOf(due, dueUs, 0);
      const isCalled = calls.some(({ atUs }) => atUs >= begin && atUs <= dueUs + graceUs);
      if (isCalled || !isQuiet(begin, dueUs + graceUs)) continue;
      expect(late.map(({ atUs }) => atUs)).toContain(dueUs + graceUs);
    }
  else if (due.kind === 'every')
    for (const [i, { atUs }] of arrived.entries()) {
      const deadlineUs = due.after(atUs) + graceUs;
      const nextUs = arrived[i + 1]?.atUs ?? Number.POSITIVE_INFINITY;
      if (atUs < fromUs || nextUs <= deadlineUs || deadlineUs >= endUs || !isQuiet(atUs, deadlineUs))
        continue;
      expect(late.map((one) => one.atUs)).toContain(deadlineUs);
    }
  const overruns = missed.filter((one) => one.kind === 'overrun' && !one.isUnsure);
  for (const { kind, runId, atUs } of arrived) {
    if (kind !== 'start' || atUs < fromUs || !isQuiet(atUs, atUs + maxRunUs) || atUs + maxRunUs >= endUs)
      continue;
    const hasEnded = calls.some(
      (call) => call.kind === 'success' && call.runId === runId && call.atUs <= atUs + maxRunUs,
    );
    expect(
      overruns.filter((one) => one.kind === 'overrun' && one.run.runId === runId).map((one) => one.atUs),
    ).toEqual(hasEnded ? [] : [atUs + maxRunUs]);
  }
}

/** The begin of the window of a due time. */
function beginOf(due: DueTimes, dueUs: number, sinceUs: number): number {
  return due.kind === 'every' ? sinceUs : Math.max(sinceUs, dueUs - due.earlyUs(dueUs));
}

const runs = propertyRuns(10_000);

test('property: every absence is reported at its time, and nothing else, whatever restarts, cuts and pauses come between', {
  timeout: 300_000,
}, () => {
  fc.assert(
    fc.property(history, (one) => {
      const world = worldOf(one);
      const endUs = world.fromUs + 40 * world.gapUs;
      const { missed } = play(world, newHeartbeat(world.settings, world.fromUs), endUs);
      compare(world, missed, world.fromUs, endUs);
    }),
    { numRuns: runs },
  );
});

test('property: after the clock was set back the reports are right again', { timeout: 300_000 }, () => {
  fc.assert(
    fc.property(history, fc.double({ min: 0.5, max: 20, noNaN: true }), (one, back) => {
      const world = worldOf({ ...one, pause: null });
      const endUs = world.fromUs + 40 * world.gapUs;
      // The state was stored by a clock that was ahead.
      const aheadUs = Math.round(back * world.gapUs) + 120 * second;
      const ahead = worldOf({ ...one, pause: null, cuts: [] });
      const shifted = (call: Made) => ({
        ...call,
        atUs: call.atUs + aheadUs,
        runId: call.runId && `earlier ${call.runId}`,
      });
      const wrong = {
        ...ahead,
        calls: ahead.calls.map(shifted),
        arrived: ahead.arrived.map(shifted),
        ticks: [],
      };
      const stored = play(wrong, newHeartbeat(world.settings, world.fromUs), endUs + aheadUs).state;
      const state = rewindHeartbeat(stored, world.settings, world.fromUs);
      expect(state.atUs).toBe(world.fromUs);
      const { missed } = play(world, state, endUs);
      const own = missed.filter((each) => each.kind === 'late' || !each.run.runId.startsWith('earlier'));
      compare(world, own, world.fromUs, endUs);
    }),
    { numRuns: Math.ceil(runs / 10) },
  );
});
