import { batchRecords } from '@vantage/domain';
import { type Clock, declareState } from '@vantage/kernel';
import type { AckPosition } from '../outbox/ack-position.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { OutboxItem } from '../outbox/outbox-state.ts';
import { backlogPace, type ControllerLoad, firstPace, maxPauseMs, spreadPause } from './backlog-pace.ts';
import { batchBytes, cutBatch, type OutgoingBatch } from './outgoing-batch.ts';

/** Sends the outbox to the controller: new records at once, older ones after them at the pace of `backlogPace`. */
export interface Uploader {
  /** The stream is open. */
  up(): void;
  /** The stream ended; records without ack are sent again over the next one. */
  down(): void;
  /** `load`: as far as the controller reports it. */
  acked(batchId: bigint, load?: ControllerLoad, position?: AckPosition): void;
}

/** New records wait this long after the last batch of new records, or until a batch is full. */
const gatherMs = 400;

const maxNewInFlight = 4;

/** While more batches of new records lack an ack, the backlog waits, for at most the maximum pause. */
const maxNewBeforeBacklog = 1;

/**
 * The first batch of the backlog follows the connection by a random time up to this, so that many agents do not send at
 * the same time.
 */
const backlogSpreadMs = 2000;

const ackWithinMs = 60_000;

/** Acknowledged records stay in memory until the outbox's disk has the ack. Beyond this number nothing is sent. */
const maxUnsettled = 5_000;

interface BatchInFlight {
  readonly items: readonly OutboxItem[];
  readonly sentMs: number;
  readonly isBacklog: boolean;
  readonly deadline: Disposable;
}

const tracked = declareState({
  name: 'batches_in_flight',
  entries: maxNewInFlight + 1,
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
  // Records that left the outbox and are not in a batch yet.
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
    while (isUp && inFlight(false) < maxNewInFlight && unsettled < maxUnsettled) {
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
    if (inFlight(true) > 0 || unsettled >= maxUnsettled || !hasBacklog()) return false;
    return inFlight(false) <= maxNewBeforeBacklog || clock.monoMs() >= backlogAtMs + maxPauseMs;
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
        backlogAtMs = nowMs + spreadPause(pace.pauseMs, deps.random());
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
