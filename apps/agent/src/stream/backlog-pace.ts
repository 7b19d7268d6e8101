import { batchRecords } from '@vantage/domain';

/**
 * The load of the controller when it acknowledged a batch; see the wire's Ack. Earlier controllers report less of it.
 */
export interface ControllerLoad {
  /** From the batch's turn in its session to the commit, including the wait for other agents. */
  readonly tookMs?: number | undefined;
  /** The storing alone. */
  readonly storedMs?: number | undefined;
  /** Batches of other agents that waited for their turn. */
  readonly waitingBatches?: number | undefined;
  /** The share of the last second in which the controller's thread worked, per mille. */
  readonly busyPermille?: number | undefined;
}

/** The pause before the next batch of the backlog, and its maximum size. */
interface BacklogPace {
  readonly pauseMs: number;
  readonly records: number;
  /** The part of the pause that leaves time to the controller's thread. It follows the load in steps. */
  readonly busyMs: number;
}

/** A smaller batch would cost the database a commit for little gain. */
const minBatchRecords = 50;

export const maxPauseMs = 10_000;

/**
 * A batch has at least this many records for each second of the pause before it. On a host whose processors are taken
 * by other programs the controller always seems busy: with small batches at the maximum pause a backlog would never
 * drain.
 */
const minRecordsPerSecond = 50;

/** New results of the same agent wait for the current batch, so a batch should be stored within this time. */
const storedWithinMs = 100;

/**
 * The pause where the controller does not report the cost of a batch: at least `pauseMs`, and `times` the delay of the
 * ack. The delay is a weaker measure, because the agent's own event loop adds to it.
 */
const unknownCost = { pauseMs: 250, times: 4 } as const;

/**
 * The pause in multiples of the storing time. The minimum leaves time for new results and for other statements of the
 * database. The pause is longer while the database stores slowly, because it may have other work.
 */
const storing = { minShare: 0.25, slow: { fromMs: 100, toMs: 250, times: 1 } } as const;

/**
 * The controller's thread must have time for the API and for heartbeats. The reported load is that of the last second.
 * The pause therefore grows and shrinks by a fraction per second; otherwise all agents would start and stop together.
 * It grows faster than it shrinks. A long pause shrinks faster than a short one, so that the pauses of all agents
 * become alike.
 */
const thread = {
  aimPermille: 700,
  growth: 2,
  growthMs: 5,
  shrinking: 0.3,
  shrinkingMs: 10,
  more: 0.05,
} as const;

/** The pace after a connection. Small batches show the capacity of the controller. */
export const firstPace: BacklogPace = { pauseMs: 0, records: 100, busyMs: 100 };

/**
 * Decides the pace of the backlog from the load that came with the last ack. Each waiting batch of another agent adds
 * the time of one batch. Agents with a backlog therefore share the controller evenly and their queue stays short, and a
 * faster clock or event loop gives no advantage. `last`: the pace of the acknowledged batch, with its number of
 * records; `ackMs`: the time from sending to the ack. Pure.
 */
export function backlogPace(
  load: ControllerLoad,
  last: BacklogPace & { readonly ackMs: number },
): BacklogPace {
  const { storedMs, tookMs } = load;
  const { busyMs } = last;
  if (storedMs === undefined) {
    const assumedMs = Math.max(unknownCost.pauseMs, unknownCost.times * last.ackMs);
    return { pauseMs: Math.min(maxPauseMs, tookMs ?? assumedMs), records: batchRecords, busyMs };
  }
  const { waitingBatches = 0, busyPermille = 0 } = load;
  const { minShare, slow } = storing;
  const times = minShare + slow.times * fraction(storedMs, slow.fromMs, slow.toMs) + waitingBatches;
  const cycleS = clamp(last.pauseMs + Math.max(storedMs, tookMs ?? 0), 1, 1000) / 1000;
  const nextBusyMs = busyPause(busyMs, busyPermille, cycleS);
  const pauseMs = Math.min(maxPauseMs, storedMs * times + nextBusyMs);
  const behindPause = clamp(Math.ceil((pauseMs * minRecordsPerSecond) / 1000), minBatchRecords, batchRecords);
  return {
    pauseMs,
    records: Math.max(behindPause, nextSize(storedMs, last.records)),
    busyMs: nextBusyMs,
  };
}

/** The pause for the controller's thread. `cycleS`: the duration of the last batch with the pause before it. */
function busyPause(ms: number, busyPermille: number, cycleS: number): number {
  const { aimPermille, growth, growthMs, shrinking, shrinkingMs, more } = thread;
  if (busyPermille > aimPermille)
    return Math.min(
      maxPauseMs,
      (ms + growthMs * cycleS) * (1 + growth * fraction(busyPermille, aimPermille, 1000) * cycleS),
    );
  const shorter = (ms * (1 - shrinking * cycleS)) / (1 + (more * cycleS * ms) / 1000);
  return Math.max(0, shorter - shrinkingMs * cycleS);
}

/**
 * Randomises a pause to between half and one and a half of it; `random` is from 0 to 1. Otherwise agents would keep
 * their order in the queue, and the agent that always finds it empty would get more than its share. Pure.
 */
export function spreadPause(pauseMs: number, random: number): number {
  return Math.min(maxPauseMs, pauseMs * (0.5 + random));
}

/** The largest batch that is stored in time, within half and twice the last one. */
function nextSize(storedMs: number, records: number): number {
  const inTime = Math.round((records * storedWithinMs) / Math.max(1, storedMs));
  return clamp(clamp(inTime, Math.floor(records / 2), records * 2), minBatchRecords, batchRecords);
}

/** The position of a value between two bounds, 0 to 1. */
function fraction(value: number, from: number, to: number): number {
  return clamp((value - from) / (to - from), 0, 1);
}

function clamp(value: number, min: number, max: number): number {
  return Math.max(min, Math.min(max, value));
}
