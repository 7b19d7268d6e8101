import { unlink } from 'node:fs/promises';
import { messageOf } from '@vantage/kernel';
import type { OutboxRecord } from '@vantage/proto';
import { isDiskFull } from '../storage/disk.ts';
import type { FaultReporter } from '../storage/fault-reporter.ts';
import type { DataGaps, Loss } from './data-gaps.ts';
import {
  addInMemory,
  addWritten,
  limits,
  memoryOverflow,
  type OutboxItem,
  type OutboxState,
  oldestDroppable,
} from './outbox-state.ts';
import type { RetainedRecords } from './retained-records.ts';
import {
  countsOf,
  type EncodedRecord,
  giveUp,
  inMemoryOnly,
  type OutboxSegment,
  takeWaiting,
  totalOf,
} from './segment.ts';
import type { SegmentCountsFile } from './segment-counts.ts';
import { createSegmentReader } from './segment-reader.ts';
import { createWriter } from './segment-writer.ts';

/**
 * Moves records between the outbox's state and its files. Call its functions one at a time. None of them throws for a
 * disk fault.
 */
export interface SegmentStore {
  /** Writes records and drops the segments beyond the limits. Records that the disk refuses stay in memory. */
  write(batch: readonly EncodedRecord[]): Promise<void>;
  /** Takes at most `max` waiting records out of a segment. An unreadable file gives none and is read again later. */
  take(segment: OutboxSegment, max: number): Promise<readonly OutboxItem[]>;
  /** Stores the acks of these segments and removes the segments that are empty. */
  acked(segments: Iterable<OutboxSegment>): Promise<void>;
  /** Removes a segment and its file. */
  remove(segment: OutboxSegment): Promise<void>;
  /** Keeps a segment whose records are all acknowledged, for a while. */
  keep(segment: OutboxSegment): Promise<void>;
  /** Records a loss as a data gap. */
  report(loss: Loss | undefined): Promise<void>;
  /** Closes the file that is being written. */
  readonly seal: () => Promise<void>;
}

/** Creates the store over a state. */
export function createSegmentStore(deps: {
  readonly folder: string;
  readonly state: OutboxState;
  readonly gaps: DataGaps;
  readonly counts: SegmentCountsFile;
  readonly faults: FaultReporter;
  readonly maxBytes: number;
  readonly retained: RetainedRecords;
  readonly nowMs: () => number;
  readonly nextNo: () => number;
  /** A gap was recorded, or records can be taken. */
  readonly onAvailable: () => void;
  readonly onStored: (record: OutboxRecord) => void;
  readonly beforeDelete: () => Promise<void>;
}): SegmentStore {
  const { state, gaps, counts, faults, nowMs, onAvailable, retained } = deps;
  const { segments } = state;
  const writer = createWriter({ folder: deps.folder, nowMs, nextNo: deps.nextNo });
  const read = createSegmentReader(faults);

  const report = async (loss: Loss | undefined) => {
    if (loss === undefined) return;
    await gaps.add(loss);
    onAvailable();
  };
  const remove = async (segment: OutboxSegment) => {
    segments.delete(segment.no);
    const { file } = segment;
    segment.file = undefined;
    await deps.beforeDelete();
    if (file !== undefined) await unlink(file).catch(faults.report);
  };
  const isEmpty = ({ waiting, inFlight }: OutboxSegment) => waiting + inFlight === 0;
  const seal = async () => {
    const sealed = await writer.seal();
    if (sealed !== undefined && isEmpty(sealed)) await retained.retain(sealed);
  };
  const retire = async (segment: OutboxSegment) => {
    if (!isEmpty(segment)) return;
    if (writer.active !== segment) await retained.retain(segment);
    else if (segment.bytes >= limits.worthRetiringBytes) await seal();
  };
  const recordUnstored = () =>
    gaps.recordUnstored(inMemoryOnly(segments.values(), 'could be kept in memory only, and the agent ended'));
  const dropOldest = async (
    reason: string,
    mayDrop = (_segment: OutboxSegment) => true,
  ): Promise<boolean> => {
    if (reason !== 'older than 7 days' && (await retained.dropOldest())) return true;
    const segment = oldestDroppable(state, writer.active, mayDrop);
    if (segment === undefined) return false;
    const loss = giveUp(segment, 'waiting', reason);
    await report(loss && { ...loss, segmentNo: segment.no });
    await remove(segment);
    return true;
  };
  const dropBeyondLimits = async () => {
    const isTooOld = ({ bornMs }: OutboxSegment) => nowMs() - bornMs > limits.maxAgeMs;
    while (await dropOldest('older than 7 days', isTooOld));
    await retained.trim();
    while (totalOf(segments.values()).bytes + retained.bytes > deps.maxBytes)
      if (!(await dropOldest('outbox full'))) break;
  };
  const writeToDisk = async (batch: readonly EncodedRecord[]) => {
    const isResult = batch.some(({ record }) => record.record.case === 'result');
    const { segment, payloads } = await writer.write(batch).catch(async (error: unknown) => {
      // A full disk drops the oldest results first, as a full outbox does.
      if (!isResult || !isDiskFull(error) || !(await dropOldest('disk full'))) throw error;
      return writer.write(batch);
    });
    segments.set(segment.no, segment);
    for (const [i, { record, payload }] of batch.entries()) {
      addWritten(state, segment, { record, payload: payloads[i] ?? payload });
      deps.onStored(record);
    }
    await counts.set(segment.no, countsOf(segment));
  };
  const keepInMemory = async (batch: readonly EncodedRecord[], why: string) => {
    addInMemory(state, batch, { no: deps.nextNo(), bornMs: nowMs() });
    for (const { record } of batch) deps.onStored(record);
    for (const oldest of memoryOverflow(state)) {
      await report(giveUp(oldest, 'waiting', `the agent's disk refuses writes: ${why}`));
      await retire(oldest);
    }
    await recordUnstored();
  };

  return {
    async write(batch) {
      if (batch.length === 0) return;
      try {
        await writeToDisk(batch);
        faults.clear();
      } catch (error) {
        faults.report(error);
        await keepInMemory(batch, messageOf(error));
      }
      if ((writer.active?.bytes ?? 0) >= limits.segmentBytes) await seal();
      await dropBeyondLimits();
      onAvailable();
    },
    async take(segment, max) {
      const { minStartUs: fromUs, maxStartUs: toUs } = segment;
      const payloads = await read(segment, writer.active === segment);
      if (payloads === undefined) return [];
      const { items, lost } = takeWaiting(segment, payloads, max);
      if (lost > 0) await report({ fromUs, toUs, dropped: lost, reason: 'damaged on disk' });
      return items.map(({ payload, index }) => ({ payload, origin: { kind: 'segment', segment, index } }));
    },
    async acked(changed) {
      for (const segment of changed) {
        if (segment.file !== undefined) await counts.set(segment.no, countsOf(segment));
        await retire(segment);
      }
      await recordUnstored();
    },
    remove,
    keep: (segment) => retained.retain(segment),
    report,
    seal,
  };
}
