import type { MessageInitShape } from '@bufbuild/protobuf';
import { batchRecords } from '@vantage/domain';
import type { Clock } from '@vantage/kernel';
import { declareState } from '@vantage/kernel';
import type { BatchSchema } from '@vantage/proto';
import type { AckPosition } from '../outbox/kept.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { OutboxItem } from '../outbox/outbox-state.ts';
import { backlogPace, type ControllerLoad, firstPace, longestPauseMs, spread } from './backlog-pace.ts';

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
/**
 * New records wait this long after those before them, or until they are so many: objects that wait longer cost the
 * garbage collector more.
 */
const gather = { ms: 400, records: 200 } as const;
const newInFlightMax = 4;
/** With more batches of new records without ack, the backlog waits for them, for the longest pause at most. */
const newBefore = 1;
/** The first backlog batch follows the connection by up to this much, so that many agents do not send at one moment. */
const backlogSpreadMs = 2000;
const ackWithinMs = 60_000;
/** Nothing is sent while so many acknowledged records wait for the outbox's disk: they are in memory until then. */
const mostUnsettled = 5_000;

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
  readonly send: (batch: MessageInitShape<typeof BatchSchema>) => boolean;
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
    const records = items.map(({ record }) => record);
    if (!deps.send({ batchId, records })) deps.stuck('the stream does not drain');
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
    const isEnough = outbox.atHand >= gather.records;
    if (isEnough) gathering?.[Symbol.dispose]();
    if (isEnough || gathering === undefined) {
      const waitMs = isEnough ? 0 : Math.max(0, lastSentMs + gather.ms - clock.monoMs());
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

/** The records of the next batch, at most `max`, and those behind it. */
function cutBatch(
  items: readonly OutboxItem[],
  max: number,
): readonly [readonly OutboxItem[], readonly OutboxItem[]] {
  let bytes = 0;
  const end = items.findIndex((item, index) => {
    bytes += item.bytes;
    return index >= max || (index > 0 && bytes > batchBytes);
  });
  return end < 0 ? [items, []] : [items.slice(0, end), items.slice(end)];
}
