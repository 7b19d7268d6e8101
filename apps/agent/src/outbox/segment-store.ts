import { createHash } from 'node:crypto';
import { readdir, readFile, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { fromBinary } from '@bufbuild/protobuf';
import { messageOf } from '@vantage/kernel';
import { type OutboxRecord, OutboxRecordSchema } from '@vantage/proto';
import { type FaultReporter, isDiskFull } from '../storage/disk.ts';
import type { Gaps, Loss } from './gaps.ts';
import type { Kept } from './kept.ts';
import {
  addInMemory,
  addWritten,
  limits,
  memoryOverflow,
  type OutboxItem,
  type OutboxState,
  oldestDroppable,
} from './outbox-state.ts';
import {
  addRecord,
  type Counts,
  countsOf,
  createSegment,
  type EncodedRecord,
  giveUp,
  inMemoryOnly,
  type Segment,
  takeWaiting,
  totalOf,
} from './segment.ts';
import { createWriter, decodeFrames, readPayloads, type SegmentCounts } from './segment-file.ts';

/**
 * Moves records between the outbox's state and its files. Its functions are called one after the other, never two at
 * once; none throws for a fault of the disk.
 */
export interface SegmentStore {
  /** Writes records; where the disk refuses them they stay in memory. Then drops the segments beyond the limits. */
  write(batch: readonly EncodedRecord[]): Promise<void>;
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
      await hold();
    },
    remove,
    keep: (segment) => kept.keep(segment),
    report,
    seal,
  };
}

/**
 * Reads the records of a segment; undefined when the file cannot be read now. A segment that grows no more stays in
 * memory until another is read.
 */
function createReader(faults: FaultReporter) {
  let cached: { readonly no: number; readonly payloads: ReadonlyMap<number, Uint8Array> } | undefined;
  return async ({ no, file, memory }: Segment, isGrowing: boolean) => {
    const known = memory ?? (cached?.no === no ? cached.payloads : undefined);
    const payloads =
      known ?? (file === undefined ? undefined : await readPayloads(file).catch(faults.report));
    if (payloads !== undefined && memory === undefined) cached = isGrowing ? undefined : { no, payloads };
    return payloads ?? undefined;
  };
}

/** A segment file of an earlier run: all its records wait again; damaged ones are lost. */
interface Recovered {
  readonly segment: Segment;
  readonly losses: readonly Loss[];
}

/** The segments of earlier runs. */
interface Found {
  readonly recovered: readonly Recovered[];
  /** The highest number of any segment file, readable or not; 0 without any. */
  readonly lastNo: number;
}

/**
 * Finds the segments of earlier runs, oldest first. A file that cannot be read stays where it is; `onFault` receives
 * the reason. `countsOf` returns the counts of a segment when it was last written.
 */
export async function recoverSegments(
  folder: string,
  countsOf: (no: number) => Counts | undefined,
  onFault: (error: unknown) => void,
  onFound: (record: OutboxRecord) => void = () => {},
): Promise<Found> {
  const recovered: Recovered[] = [];
  let lastNo = 0;
  const names = await readdir(folder).catch((error: unknown) => {
    onFault(error);
    return [];
  });
  for (const name of names.filter((each) => /^\d{12}\.seg$/.test(each)).sort()) {
    const file = path.join(folder, name);
    const no = Number(name.slice(0, 12));
    lastNo = no;
    try {
      const { birthtimeMs, mtimeMs } = await stat(file);
      const bornMs = birthtimeMs > 0 ? Math.min(birthtimeMs, mtimeMs) : mtimeMs;
      const found = { no, file, bornMs, endedMs: mtimeMs };
      recovered.push(recoverSegment(found, await readFile(file), countsOf(no), onFound));
    } catch (error) {
      onFault(error);
    }
  }
  return { recovered, lastNo };
}

/** Reads one segment file, damaged or not. */
function recoverSegment(
  found: { readonly no: number; readonly file: string; readonly bornMs: number; readonly endedMs: number },
  content: Buffer,
  counts?: Counts,
  onFound: (record: OutboxRecord) => void = () => {},
): Recovered {
  const { frames, damages } = decodeFrames(content, counts);
  const records = frames.map(({ index, payload }) => ({
    index,
    payload,
    record: fromBinary(OutboxRecordSchema, payload),
  }));
  const starts = records.flatMap(({ index, record: { record } }) =>
    record.case === 'result' ? [{ index, startUs: Number(record.value.startUs) }] : [],
  );
  // The host's clock may be days away from the corrected one, which the results carry.
  const segment = createSegment(found.no, found.file, (starts[0]?.startUs ?? found.bornMs * 1000) / 1000);
  segment.bytes = content.length;
  for (const { index, record, payload } of records) {
    while (segment.states.length < index) segment.states.push('done', false);
    addRecord(segment, { record, payload }, index < (counts?.done ?? 0) ? 'acked' : 'waiting');
    onFound(record);
  }
  segment.wasAckedBefore = segment.states.includes('acked');
  const ends = (from: number) =>
    frames.find(({ index }) => index > from)?.index ?? counts?.frames ?? from + 1;
  // The controller has the records that were acknowledged before they were damaged.
  const lost = damages.filter(({ index }) => ends(index) > (counts?.done ?? 0));
  const losses = lost.map(({ index, results }) => {
    const before = starts.findLast((each) => each.index < index)?.startUs;
    const after = starts.find((each) => each.index > index)?.startUs;
    const endUs = after ?? Math.round(found.endedMs * 1000);
    const fromUs = before ?? Math.min(endUs, Math.round(found.bornMs * 1000));
    const key = `${found.no} ${Math.round(found.bornMs)} ${index}`;
    const gapId = createHash('sha256').update(key).digest('hex').slice(0, 48);
    return { fromUs, toUs: Math.max(endUs, fromUs), dropped: results, reason: 'damaged on disk', gapId };
  });
  return { segment, losses };
}
