import { batchRecords } from '@vantage/domain';

/** How busy the controller was when it acknowledged a batch; see the wire's Ack. Earlier controllers say less. */
export interface ControllerLoad {
  /** From the batch's turn at its session to the commit, the wait for other agents included. */
  readonly tookMs?: number | undefined;
  /** The storing alone. */
  readonly storedMs?: number | undefined;
  /** Batches of other agents that waited for their turn. */
  readonly waitingBatches?: number | undefined;
  /** The share of the last second in which the controller's thread worked, per mille. */
  readonly busyPermille?: number | undefined;
}

/** The next batch of the backlog: not before this pause, and not with more records. */
export interface BacklogPace {
  readonly pauseMs: number;
  readonly records: number;
  /** The part of the pause that leaves time to the controller's thread; it follows the load by steps. */
  readonly busyMs: number;
}

/** Fewer records in a batch would cost the database a commit for next to nothing. */
const batchMin = 50;
export const longestPauseMs = 10_000;
/**
 * Behind a pause follow at least this many records for each second of it. On a host whose processors are taken by
 * others the controller seems busy however little it is sent: at the longest pause small batches would never drain a
 * backlog.
 */
const leastPerSecond = 50;
/** New results of the same agent wait for the batch in work, so that a batch is to be stored within this time. */
const storedWithinMs = 100;
/**
 * The pause after a batch where the controller does not say what the batch cost: at least this, and this many times
 * what its ack took. The agent's own event loop makes an ack late, too, so the controller's word is better.
 */
const unknownCost = { pauseMs: 250, times: 4 } as const;
/**
 * In times of the storing: always a part, so that the agent's own new results and other statements of the database come
 * in between; more while a database stores slowly, because it may have other work than this.
 */
const storing = { least: 0.25, slow: { fromMs: 100, toMs: 250, times: 1 } } as const;
/**
 * The controller's thread is to keep time for the API and for heartbeats. The load that it says is that of the last
 * second, so the pause grows and shrinks by a share a second: else all agents would begin and stop together. It grows
 * faster than it shrinks, and a long one shrinks faster than a short one, which makes the pauses of all agents alike.
 */
const thread = {
  aimPermille: 700,
  growth: 2,
  growthMs: 5,
  shrinking: 0.3,
  shrinkingMs: 10,
  more: 0.05,
} as const;

/** The pace after a connection: small batches show what the controller can take. */
export const firstPace: BacklogPace = { pauseMs: 0, records: 100, busyMs: 100 };

/**
 * Decides the pace of the backlog by what the controller said with the last ack. Each batch of another agent that
 * waits adds the time of one, so agents with a backlog share the controller evenly, and their queue stays short; no
 * agent sends faster because its own clock or event loop is quick. `last` is the pace of the batch that was
 * acknowledged, with the records that it had; `ackMs` is the time from sending to the ack. Pure.
 */
export function backlogPace(
  load: ControllerLoad,
  last: BacklogPace & { readonly ackMs: number },
): BacklogPace {
  const { storedMs, tookMs } = load;
  const { busyMs } = last;
  if (storedMs === undefined) {
    const assumedMs = Math.max(unknownCost.pauseMs, unknownCost.times * last.ackMs);
    return { pauseMs: Math.min(longestPauseMs, tookMs ?? assumedMs), records: batchRecords, busyMs };
  }
  const { waitingBatches = 0, busyPermille = 0 } = load;
  const { least, slow } = storing;
  const times = least + slow.times * share(storedMs, slow.fromMs, slow.toMs) + waitingBatches;
  const cycleS = between(last.pauseMs + Math.max(storedMs, tookMs ?? 0), 1, 1000) / 1000;
  const nextBusyMs = busyPause(busyMs, busyPermille, cycleS);
  const pauseMs = Math.min(longestPauseMs, storedMs * times + nextBusyMs);
  const behindPause = between(Math.ceil((pauseMs * leastPerSecond) / 1000), batchMin, batchRecords);
  return {
    pauseMs,
    records: Math.max(behindPause, nextSize(storedMs, last.records)),
    busyMs: nextBusyMs,
  };
}

/** The pause for the controller's thread after a batch that took so long with the pause before it. */
function busyPause(ms: number, busyPermille: number, cycleS: number): number {
  const { aimPermille, growth, growthMs, shrinking, shrinkingMs, more } = thread;
  if (busyPermille > aimPermille)
    return Math.min(
      longestPauseMs,
      (ms + growthMs * cycleS) * (1 + growth * share(busyPermille, aimPermille, 1000) * cycleS),
    );
  const shorter = (ms * (1 - shrinking * cycleS)) / (1 + (more * cycleS * ms) / 1000);
  return Math.max(0, shorter - shrinkingMs * cycleS);
}

/**
 * A pause of half to one and a half times this; `random` is from 0 to 1. Without it agents would keep their places in
 * the queue, and the one that finds it empty each time would get more than its share. Pure.
 */
export function spread(pauseMs: number, random: number): number {
  return Math.min(longestPauseMs, pauseMs * (0.5 + random));
}

/** A batch at most twice as large as the last one, and at least half as large, that is stored in time. */
function nextSize(storedMs: number, records: number): number {
  const inTime = Math.round((records * storedWithinMs) / Math.max(1, storedMs));
  return between(between(inTime, Math.floor(records / 2), records * 2), batchMin, batchRecords);
}

/** Where a value stands between two bounds, 0 to 1. */
function share(value: number, from: number, to: number): number {
  return between((value - from) / (to - from), 0, 1);
}

function between(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value));
}
