import { create } from '@bufbuild/protobuf';
import { WireType } from '@bufbuild/protobuf/wire';
import { batchRecords } from '@vantage/domain';
import { type Clock, declareState } from '@vantage/kernel';
import { type Batch, BatchSchema } from '@vantage/proto';
import type { AckPosition } from '../outbox/kept.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { OutboxItem } from '../outbox/outbox-state.ts';

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
interface BacklogPace {
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

/** Sends the outbox to the controller: new records at once, older ones behind them at the pace of `backlogPace`. */
export interface Uploader {
  /** The stream is open. */
  up(): void;
  /** The stream ended; records without ack are sent again over the next one. */
  down(): void;
  /** `load`: how busy the controller was, as far as it says it. */
  acked(batchId: bigint, load?: ControllerLoad, position?: AckPosition): void;
}

/** A batch is cut before it is longer than this; a record that is longer goes alone. */
const batchBytes = 1024 * 1024;
/** New records wait this long after those before them, or until a batch is full. */
const gatherMs = 400;
const newInFlightMax = 4;
/** With more batches of new records without ack, the backlog waits for them, for the longest pause at most. */
const newBefore = 1;
/** The first backlog batch follows the connection by up to this much, so that many agents do not send at one moment. */
const backlogSpreadMs = 2000;
const ackWithinMs = 60_000;
/** Nothing is sent while so many acknowledged records wait for the outbox's disk: they are in memory until then. */
const mostUnsettled = 5_000;

/** A batch to be sent. */
export interface OutgoingBatch {
  readonly batchId: bigint;
  readonly items: readonly OutboxItem[];
}

interface BatchInFlight {
  readonly items: readonly OutboxItem[];
  readonly sentMs: number;
  readonly isBacklog: boolean;
  readonly deadline: Disposable;
}

const tracked = declareState({
  name: 'batches_in_flight',
  entries: newInFlightMax + 1,
  entryBytes: batchBytes,
  filledBy: 'results',
  atBound: 'the next batch waits for an ack',
});

/** Creates the uploader. It calls `stuck` when an ack does not come; `stuck` must end the stream. */
export function createUploader(deps: {
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly random: () => number;
  readonly send: (batch: OutgoingBatch) => boolean;
  readonly stuck: (why: string) => void;
  readonly onError: (error: unknown) => void;
}): Uploader {
  const { clock, outbox } = deps;
  const batches = tracked(new Map<bigint, BatchInFlight>());
  let isUp = false;
  let batchNo = 0n;
  let lastSentMs = Number.NEGATIVE_INFINITY;
  let gathering: Disposable | undefined;
  let backlogAtMs = 0;
  let pace = firstPace;
  let backlogTimer: Disposable | undefined;
  let isReading = false;
  let unsettled = 0;
  // Records that left the outbox and are in no batch yet.
  let freshRest: readonly OutboxItem[] = [];
  let backlogRest: readonly OutboxItem[] = [];

  const inFlight = (isBacklog: boolean) =>
    [...batches.values()].filter((batch) => batch.isBacklog === isBacklog).length;
  const launch = (items: readonly OutboxItem[], isBacklog: boolean) => {
    batchNo += 1n;
    const batchId = batchNo;
    const deadline = clock.timer(ackWithinMs, () =>
      deps.stuck(`no ack of batch ${batchId} within ${ackWithinMs / 1000} s`),
    );
    batches.set(batchId, { items, sentMs: clock.monoMs(), isBacklog, deadline });
    if (!deps.send({ batchId, items })) deps.stuck('the stream does not drain');
  };
  const sendNew = () => {
    gathering = undefined;
    while (isUp && inFlight(false) < newInFlightMax && unsettled < mostUnsettled) {
      if (freshRest.length === 0) freshRest = outbox.nextNew(batchRecords);
      if (freshRest.length === 0) return;
      const [items, rest] = cutBatch(freshRest, batchRecords);
      freshRest = rest;
      lastSentMs = clock.monoMs();
      launch(items, false);
    }
  };
  const hasBacklog = () => backlogRest.length > 0 || outbox.backlog > 0;
  const isBacklogNext = () => {
    if (inFlight(true) > 0 || unsettled >= mostUnsettled || !hasBacklog()) return false;
    return inFlight(false) <= newBefore || clock.monoMs() >= backlogAtMs + longestPauseMs;
  };
  const sendBacklog = async () => {
    backlogTimer = undefined;
    if (!isUp || isReading || !isBacklogNext()) return;
    isReading = true;
    try {
      const found = backlogRest.length > 0 ? backlogRest : await outbox.nextBacklog(pace.records, batchBytes);
      if (!isUp || found.length === 0) return;
      const [items, rest] = cutBatch(found, pace.records);
      backlogRest = rest;
      launch(items, true);
    } catch (error) {
      deps.onError(error);
    } finally {
      isReading = false;
    }
  };
  const plan = () => {
    if (!isUp) return;
    const isEnough = outbox.atHand >= batchRecords;
    if (isEnough) gathering?.[Symbol.dispose]();
    if (isEnough || gathering === undefined) {
      const waitMs = isEnough ? 0 : Math.max(0, lastSentMs + gatherMs - clock.monoMs());
      gathering = clock.timer(waitMs, sendNew);
    }
    if (backlogTimer === undefined && !isReading && isBacklogNext()) {
      backlogTimer = clock.timer(Math.max(0, backlogAtMs - clock.monoMs()), () => void sendBacklog());
    }
  };

  outbox.onAvailable(plan);

  return {
    up() {
      isUp = true;
      outbox.setOnline(true);
      backlogAtMs = clock.monoMs() + deps.random() * backlogSpreadMs;
      pace = firstPace;
      plan();
    },
    down() {
      if (!isUp) return;
      isUp = false;
      gathering?.[Symbol.dispose]();
      backlogTimer?.[Symbol.dispose]();
      gathering = undefined;
      backlogTimer = undefined;
      for (const { deadline } of batches.values()) deadline[Symbol.dispose]();
      batches.clear();
      freshRest = [];
      backlogRest = [];
      outbox.setOnline(false);
    },
    acked(batchId, load, position) {
      const batch = batches.get(batchId);
      if (batch === undefined) return;
      batches.delete(batchId);
      batch.deadline[Symbol.dispose]();
      if (batch.isBacklog) {
        const nowMs = clock.monoMs();
        const { length: records } = batch.items;
        pace = backlogPace(load ?? {}, { ...pace, records, ackMs: nowMs - batch.sentMs });
        backlogAtMs = nowMs + spread(pace.pauseMs, deps.random());
      }
      unsettled += batch.items.length;
      const onSettled = () => {
        unsettled -= batch.items.length;
        plan();
      };
      outbox.ack(batch.items, position).catch(deps.onError).finally(onSettled);
      plan();
    },
  };
}

/**
 * The batch with these records, which are encoded already. protobuf-es writes the fields that a message does not know
 * as they are: number, wire type, and for this type the length before the bytes.
 */
export function batchOf({ batchId, items }: OutgoingBatch): Batch {
  const batch = create(BatchSchema, { batchId });
  const { number: no } = BatchSchema.field.records;
  batch.$unknown = items.map(({ payload }) => ({
    no,
    wireType: WireType.LengthDelimited,
    data: withLength(payload),
  }));
  return batch;
}

/** Bytes behind their length, a varint (Protocol Buffers, "Encoding": base 128, least significant group first). */
function withLength(bytes: Uint8Array): Uint8Array {
  const prefix: number[] = [];
  for (let rest = bytes.length; prefix.length === 0 || rest > 0; rest = Math.floor(rest / 128))
    prefix.push(rest >= 128 ? (rest % 128) + 128 : rest);
  const whole = Buffer.allocUnsafe(prefix.length + bytes.length);
  whole.set(prefix, 0);
  whole.set(bytes, prefix.length);
  return whole;
}

/** The records of the next batch, at most `max`, and those behind it. */
function cutBatch(
  items: readonly OutboxItem[],
  max: number,
): readonly [readonly OutboxItem[], readonly OutboxItem[]] {
  let bytes = 0;
  const end = items.findIndex((item, index) => {
    bytes += item.payload.length;
    return index >= max || (index > 0 && bytes > batchBytes);
  });
  return end < 0 ? [items, []] : [items.slice(0, end), items.slice(end)];
}
