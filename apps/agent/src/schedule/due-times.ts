import { minuteUs, resultCode, secondUs } from '@vantage/domain';
import type { Measurement } from '@vantage/probes';
import type { Assignment } from '@vantage/proto';

/** The time before a check that starts later than this is not covered, milliseconds. */
export const toleratedLatenessMs = 5000;

/** The starts of regular checks since the window began. */
interface StartCounts {
  readonly started: number;
  readonly late: number;
}

/** Up to so many late starts are always single ones. */
const alwaysSingle = 2;
/** More late starts than this are never single ones, because each of them makes an event of its device. */
const mostSingle = 20;
const singleShare = 0.1;
/**
 * A check that starts later than this is never a single one: its result for the due time would arrive as a late result.
 */
const longestSingleMs = 50_000;
const windowMs = 600_000;

/** Decides whether so many checks were late that the agent is overloaded. Pure. */
export function isOverloaded({ started, late }: StartCounts): boolean {
  return late > Math.min(mostSingle, Math.max(alwaysSingle, started * singleShare));
}

/** Counts the starts of an agent. */
export interface LateChecks {
  /**
   * Counts a regular check that starts so late. Decides which coverage that ends: of its device, or, when the agent is
   * overloaded, of all its devices.
   */
  started(lateMs: number): 'nothing' | 'device' | 'agent';
}

/** Creates the counter; it begins anew every ten minutes. */
export function createLateChecks(monoMs: () => number): LateChecks {
  let sinceMs = monoMs();
  let counts: StartCounts = { started: 0, late: 0 };
  return {
    started(lateMs) {
      const isLate = lateMs > toleratedLatenessMs;
      if (monoMs() - sinceMs > windowMs) {
        sinceMs = monoMs();
        counts = { started: 0, late: 0 };
      }
      counts = { started: counts.started + 1, late: counts.late + Number(isLate) };
      if (!isLate) return 'nothing';
      return lateMs > longestSingleMs || isOverloaded(counts) ? 'agent' : 'device';
    },
  };
}

/** The measurement of a check that did not start in time. It proves nothing about the device. */
export function notInTime(lateUs: number): Measurement {
  return {
    code: resultCode.agent,
    text: `this agent started the check ${Math.round(lateUs / secondUs)} s after its due time`,
    phases: { dns: 0, connect: 0, ssl: 0, ttfb: 0, ttlb: 0 },
    dataSize: 0,
    slow: false,
    peers: [],
    extended: {},
  };
}

/** The lateness of checks in a period. */
export interface Lateness {
  /** Milliseconds by which checks started after their due time. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly started: number;
  /** Due, but not started. */
  readonly skipped: number;
}

/** The lateness of a period without checks. */
export const nothingMeasured: Lateness = { p50Ms: 0, p99Ms: 0, started: 0, skipped: 0 };

/** Collects the lateness of checks. */
export interface LatenessMeter {
  started(lateMs: number): void;
  skipped(count: number): void;
  /** Returns the lateness since the last call. */
  take(): Lateness;
  /** The checks since the process started. */
  readonly totals: Pick<Lateness, 'started' | 'skipped'>;
}

/** The meter keeps so many samples; later ones overwrite older ones. */
const bound = 20_000;

/** Creates an empty meter. */
export function createLatenessMeter(): LatenessMeter {
  let samples: number[] = [];
  let started = 0;
  let skipped = 0;
  const totals = { started: 0, skipped: 0 };
  return {
    totals,
    started(lateMs) {
      if (samples.length < bound) samples.push(lateMs);
      else samples[started % bound] = lateMs;
      started += 1;
      totals.started += 1;
    },
    skipped(count) {
      skipped += count;
      totals.skipped += count;
    },
    take() {
      const sorted = samples.sort((a, b) => a - b);
      const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
      const taken = { p50Ms: at(0.5), p99Ms: at(0.99), started, skipped };
      samples = [];
      started = 0;
      skipped = 0;
      return taken;
    },
  };
}

/**
 * Notices when this process stood still (suspended host, stopped process, starved event loop). Then timers of running
 * checks fire although their targets had no time to answer.
 */
export interface Stalls {
  /** Call often; a call that comes late by more than the threshold is a stall. Returns the stall's length, else 0. */
  tick(): number;
  /** The host is known to have slept until now. */
  mark(): void;
  /** Whether the process stood still since this monotonic time. */
  since(monoMs: number): boolean;
}

/** The measurement of a check that failed while the process stood still. It proves nothing about the device. */
export function asStalled(measurement: Measurement): Measurement {
  return {
    ...measurement,
    code: resultCode.agent,
    text: `this agent stood still during the check, several times in a row (this check: ${measurement.text})`,
    slow: false,
  };
}

/** Creates the detector: the process stood still when two calls of `tick` lie further apart than `thresholdMs`. */
export function createStalls(deps: { readonly monoMs: () => number; readonly thresholdMs: number }): Stalls {
  const { monoMs, thresholdMs } = deps;
  let lastMs = monoMs();
  let stalledAtMs = Number.NEGATIVE_INFINITY;
  const tick = () => {
    const nowMs = monoMs();
    const gapMs = nowMs - lastMs;
    lastMs = nowMs;
    if (gapMs <= thresholdMs) return 0;
    stalledAtMs = nowMs;
    return gapMs;
  };
  return {
    tick,
    mark() {
      stalledAtMs = monoMs();
    },
    since(sinceMs) {
      tick();
      return stalledAtMs > sinceMs;
    },
  };
}

/**
 * When an assignment is due: every t with t mod interval = schedule offset and floor(t / interval) mod rotation_size =
 * rotation_index.
 */
export interface Rotation {
  /** At least 1. */
  readonly intervalMs: number;
  /** 0 <= scheduleOffsetMs < intervalMs. */
  readonly scheduleOffsetMs: number;
  /** 0 <= rotationIndex < rotationSize. */
  readonly rotationIndex: number;
  /** At least 1. */
  readonly rotationSize: number;
}

/** Why a rotation is invalid, or undefined. */
export function rotationFault({
  intervalMs,
  scheduleOffsetMs,
  rotationIndex,
  rotationSize,
}: Rotation): string | undefined {
  if (intervalMs < 1) return 'interval_ms is 0';
  if (scheduleOffsetMs >= intervalMs) return 'schedule_offset_ms is not below interval_ms';
  if (rotationSize < 1) return 'rotation_size is 0';
  if (rotationIndex >= rotationSize) return 'rotation_index is not below rotation_size';
  return undefined;
}

/** Whether both have the same due times. */
export function isSameRotation(a: Rotation, b: Rotation): boolean {
  return (
    a.intervalMs === b.intervalMs &&
    a.scheduleOffsetMs === b.scheduleOffsetMs &&
    a.rotationIndex === b.rotationIndex &&
    a.rotationSize === b.rotationSize
  );
}

/** The first due time after `afterUs`, microseconds. */
export function nextDueUs(rotation: Rotation, afterUs: number): number {
  const last = lastDueUs(rotation, afterUs);
  return last + periodUs(rotation);
}

/** The last due time at or before `atUs`, microseconds. */
export function lastDueUs(rotation: Rotation, atUs: number): number {
  const period = periodUs(rotation);
  const shift = (rotation.rotationIndex * rotation.intervalMs + rotation.scheduleOffsetMs) * 1000;
  return Math.floor((atUs - shift) / period) * period + shift;
}

/** How many due times lie in (fromUs, toUs]. */
export function dueTimesBetween(rotation: Rotation, fromUs: number, toUs: number): number {
  const periods = Math.round((lastDueUs(rotation, toUs) - lastDueUs(rotation, fromUs)) / periodUs(rotation));
  return Math.max(0, periods);
}

/** The checks missed in a gap are made within this time, milliseconds. */
const catchUpMs = 60_000;

/**
 * The time of the next check after a gap (a suspended host, a step of the clock) that ended at `nowUs`: the next due
 * time. Where that is far off and a due time fell into the gap, it is within a minute, spread by the schedule offset so
 * that there is no burst.
 */
export function afterGapUs(rotation: Rotation, dueUs: number, nowUs: number): number {
  const next = nextDueUs(rotation, nowUs);
  if (dueUs > nowUs || next <= nowUs + catchUpMs * 1000) return next;
  return nowUs + (rotation.scheduleOffsetMs % catchUpMs) * 1000;
}

function periodUs(rotation: Rotation): number {
  return rotation.intervalMs * rotation.rotationSize * 1000;
}

/** The window of a hand-over: another agent has the device in [untilUs, fromUs). */
type Window = Pick<Assignment, 'fromUs' | 'untilUs'>;

/** A `fromUs` that never comes; see the message Assignment. */
const neverUs = Number.MAX_SAFE_INTEGER;
/**
 * Due times that passed between a hand-over and the arrival of its assignment are made up for within this time,
 * microseconds.
 */
const makeUpUs = minuteUs;

/** Whether a due time is this agent's own. */
export function isOwnDue({ fromUs, untilUs }: Window, dueUs: number): boolean {
  return dueUs >= Number(fromUs) || dueUs < Number(untilUs);
}

/** The first due time after `afterUs` that is this agent's own, microseconds; infinity: there is none. */
export function nextOwnDueUs(assignment: Assignment, afterUs: number): number {
  const dueUs = nextDueUs(assignment, afterUs);
  if (isOwnDue(assignment, dueUs)) return dueUs;
  const fromUs = Number(assignment.fromUs);
  return fromUs >= neverUs ? Number.POSITIVE_INFINITY : nextDueUs(assignment, fromUs - 1);
}

/**
 * The first due time of an assignment that arrived now. The agent before had the device until `fromUs`, so a due time
 * since then is this agent's, unless a check of its own began after it.
 */
export function firstDueUs(assignment: Assignment, nowUs: number, lastStartUs: number): number {
  const fromUs = Number(assignment.fromUs);
  const isJustHandedOver = fromUs > 0 && fromUs <= nowUs && nowUs - fromUs < makeUpUs;
  return nextOwnDueUs(assignment, isJustHandedOver ? Math.max(fromUs - 1, lastStartUs) : nowUs);
}
