import { unlink } from 'node:fs/promises';
import { toBinary } from '@bufbuild/protobuf';
import { messageOf } from '@vantage/kernel';
import { type OutboxRecord, OutboxRecordSchema } from '@vantage/proto';
import { isDiskFull } from '../storage/disk.ts';
import type { FaultReporter } from '../storage/fault-reporter.ts';
import type { SegmentCounts } from './counts.ts';
import type { Gaps, Loss } from './gaps.ts';
import type { Kept } from './kept.ts';
import { limits } from './limits.ts';
import {
  addInMemory,
  addWritten,
  memoryOverflow,
  type OutboxItem,
  type OutboxState,
  oldestDroppable,
} from './outbox-state.ts';
import {
  countsOf,
  giveUp,
  inMemoryOnly,
  readRecords,
  type Segment,
  takeWaiting,
  totalOf,
} from './segment.ts';
import { createWriter, type Unwritten } from './writer.ts';

/**
 * Moves records between the outbox's state and its files. Its functions are called one after the other, never two at
 * once; none throws for a fault of the disk.
 */
export interface SegmentStore {
  /** Writes records; where the disk refuses them they stay in memory. Then drops the segments beyond the limits. */
  write(batch: readonly Unwritten[]): Promise<void>;
  /**
   * Takes at most `max` waiting records out of a segment. A file that cannot be read now gives none and is read again
   * later.
   */
  take(segment: Segment, max: number): Promise<readonly OutboxItem[]>;
  /** Records of these segments were acknowledged: remembers that and removes the segments that are empty. */
  acked(segments: Iterable<Segment>): Promise<void>;
  /** Removes a segment and its file. */
  remove(segment: Segment): Promise<void>;
  /** Keeps a segment whose records are all acknowledged, for a while. */
  keep(segment: Segment): Promise<void>;
  /** Records a loss as a data gap. */
  report(loss: Loss | undefined): Promise<void>;
  /** Closes the file that is being written. */
  readonly seal: () => Promise<void>;
}

/** Creates the store over a state. */
export function createSegmentStore(deps: {
  readonly folder: string;
  readonly state: OutboxState;
  readonly gaps: Gaps;
  readonly counts: SegmentCounts;
  readonly faults: FaultReporter;
  readonly maxBytes: number;
  readonly kept: Kept;
  readonly nowMs: () => number;
  readonly nextNo: () => number;
  /** A gap was recorded, or records can be taken. */
  readonly onAvailable: () => void;
  readonly onStored: (record: OutboxRecord) => void;
  readonly beforeDelete: () => Promise<void>;
}): SegmentStore {
  const { state, gaps, counts, faults, nowMs, onAvailable, kept } = deps;
  const { segments } = state;
  const writer = createWriter({ folder: deps.folder, nowMs, nextNo: deps.nextNo });
  const read = createReader(faults);

  const report = async (loss: Loss | undefined) => {
    if (loss === undefined) return;
    await gaps.add(loss);
    onAvailable();
  };
  const remove = async (segment: Segment) => {
    segments.delete(segment.no);
    const { file } = segment;
    segment.file = undefined;
    await deps.beforeDelete();
    if (file !== undefined) await unlink(file).catch(faults.report);
  };
  const isEmpty = ({ waiting, inFlight }: Segment) => waiting + inFlight === 0;
  const seal = async () => {
    const sealed = await writer.seal();
    if (sealed !== undefined && isEmpty(sealed)) await kept.keep(sealed);
  };
  const retire = async (segment: Segment) => {
    if (!isEmpty(segment)) return;
    if (writer.active !== segment) await kept.keep(segment);
    else if (segment.bytes >= limits.worthRetiringBytes) await seal();
  };
  const hold = () =>
    gaps.hold(inMemoryOnly(segments.values(), 'could be kept in memory only, and the agent ended'));
  const dropOldest = async (reason: string, mayDrop = (_segment: Segment) => true): Promise<boolean> => {
    if (reason !== 'older than 7 days' && (await kept.dropOldest())) return true;
    const segment = oldestDroppable(state, writer.active, mayDrop);
    if (segment === undefined) return false;
    const loss = giveUp(segment, 'waiting', reason);
    await report(loss && { ...loss, segmentNo: segment.no });
    await remove(segment);
    return true;
  };
  const dropBeyondLimits = async () => {
    const isTooOld = ({ bornMs }: Segment) => nowMs() - bornMs > limits.maxAgeMs;
    while (await dropOldest('older than 7 days', isTooOld));
    await kept.trim();
    while (totalOf(segments.values()).bytes + kept.bytes > deps.maxBytes)
      if (!(await dropOldest('outbox full'))) break;
  };
  const writeToDisk = async (batch: readonly Unwritten[]) => {
    const isResult = batch.some(({ record }) => record.record.case === 'result');
    const segment = await writer.write(batch).catch(async (error: unknown) => {
      // A full disk drops the oldest results first, as a full outbox does.
      if (!isResult || !isDiskFull(error) || !(await dropOldest('disk full'))) throw error;
      return writer.write(batch);
    });
    segments.set(segment.no, segment);
    for (const one of batch) {
      addWritten(state, segment, one);
      deps.onStored(one.record);
    }
    await counts.set(segment.no, countsOf(segment));
  };
  const keepInMemory = async (batch: readonly Unwritten[], why: string) => {
    addInMemory(state, batch, { no: deps.nextNo(), bornMs: nowMs() });
    for (const { record } of batch) deps.onStored(record);
    for (const oldest of memoryOverflow(state)) {
      await report(giveUp(oldest, 'waiting', `the agent's disk refuses writes: ${why}`));
      await retire(oldest);
    }
    await hold();
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
      const records = await read(segment, writer.active === segment);
      if (records === undefined) return [];
      const { items, lost } = takeWaiting(segment, records, max);
      if (lost > 0) await report({ fromUs, toUs, dropped: lost, reason: 'damaged on disk' });
      return items.map((one) => itemOf(segment, one));
    },
    async acked(changed) {
      for (const segment of changed) {
        if (segment.file !== undefined) await counts.set(segment.no, countsOf(segment));
        await retire(segment);
      }
      await hold();
    },
    remove,
    keep: (segment) => kept.keep(segment),
    report,
    seal,
  };
}

function itemOf(
  segment: Segment,
  { record, index }: { readonly record: OutboxRecord; readonly index: number },
): OutboxItem {
  const bytes = toBinary(OutboxRecordSchema, record).length;
  return { record, bytes, origin: { kind: 'segment', segment, index } };
}

/**
 * Reads the records of a segment; undefined when the file cannot be read now. A segment that grows no more stays in
 * memory until another is read.
 */
function createReader(faults: FaultReporter) {
  let cached: { readonly no: number; readonly records: ReadonlyMap<number, OutboxRecord> } | undefined;
  return async ({ no, file, memory }: Segment, isGrowing: boolean) => {
    const known = memory ?? (cached?.no === no ? cached.records : undefined);
    const records = known ?? (file === undefined ? undefined : await readRecords(file).catch(faults.report));
    if (records !== undefined && memory === undefined) cached = isGrowing ? undefined : { no, records };
    return records ?? undefined;
  };
}
