import { unlink } from 'node:fs/promises';
import { create, toBinary } from '@bufbuild/protobuf';
import { type Clock, messageOf } from '@vantage/kernel';
import { type GapRecord, type OutboxRecord, OutboxRecordSchema } from '@vantage/proto';
import { ensureFolder, isDiskFull } from '../storage/disk.ts';
import { openCounts } from './counts.ts';
import { type Loss, openGaps } from './gaps.ts';
import { limits } from './limits.ts';
import { recoverSegments } from './recover.ts';
import {
  addRecord,
  countsOf,
  createSegment,
  giveUp,
  inMemoryOnly,
  putBack,
  readRecords,
  type Segment,
  setState,
  takeWaiting,
  totalOf,
} from './segment.ts';
import { createThrottle } from './throttle.ts';
import { createWriter, type Unwritten } from './writer.ts';

/** A record taken out to be sent. Give it back by `ack`; `release` gives back all that were not acked. */
export interface OutboxItem {
  readonly record: OutboxRecord;
  readonly origin:
    | { readonly kind: 'segment'; readonly segment: Segment; readonly index: number }
    | { readonly kind: 'gap'; readonly gap: GapRecord };
}

/**
 * Records on their way to the controller. What `append` took is on disk (fsynced) before it can be taken out, and stays there
 * until acked. Bounded: beyond the limits the oldest go and a gap record says what went.
 */
export interface Outbox extends AsyncDisposable {
  append(record: OutboxRecord): void;
  /** Resolves when all that was appended before is on disk, or given up. */
  flushed(): Promise<void>;
  /** While online new records are kept at hand for `nextNew`. */
  setOnline(isOnline: boolean): void;
  /** Gaps and the newest records: what came since the connection stands. */
  nextNew(max: number): readonly OutboxItem[];
  /** Older records, oldest first, from disk. Beyond `maxBytes` no further segment is read. */
  nextBacklog(max: number, maxBytes?: number): Promise<readonly OutboxItem[]>;
  ack(items: readonly OutboxItem[]): Promise<void>;
  /** Records not acked yet, and the bytes they hold on disk. */
  readonly records: number;
  readonly bytes: number;
  /** Records that only `nextBacklog` gives. */
  readonly backlog: number;
}

/** Opens the outbox in a folder and finds what earlier runs left there. Never throws for what the disk does. */
export async function openOutbox(deps: {
  readonly folder: string;
  readonly maxBytes: number;
  readonly clock: Pick<Clock, 'monoMs' | 'timer'>;
  readonly nowMs: () => number;
  readonly newId: () => string;
  /** A record can be taken. */
  readonly onAvailable: () => void;
  /** The disk refused something; called once per change. */
  readonly onFault: (text: string) => void;
  /** A record is on disk: an earlier run left it there, or it was just written. In the order of their making. */
  readonly onStored?: (record: OutboxRecord) => void;
  /** Records are about to leave the disk; what rests on them must not any longer. */
  readonly beforeDelete?: () => Promise<void>;
}): Promise<Outbox> {
  const { clock, folder, nowMs } = deps;
  let lastFault = '';
  const fault = (error: unknown): undefined => {
    const text = messageOf(error);
    if (text !== lastFault) deps.onFault(text);
    lastFault = text;
  };
  await ensureFolder(folder).catch(fault);
  const gaps = await openGaps({ folder, newId: deps.newId, onFault: fault });
  const counts = await openCounts(folder, fault);
  const segments = new Map<number, Segment>();
  const forget = async (segment: Segment) => {
    segments.delete(segment.no);
    const { file } = segment;
    segment.file = undefined;
    await deps.beforeDelete?.();
    if (file !== undefined) await unlink(file).catch(fault);
  };
  const report = async (loss: Loss | undefined) => {
    if (loss === undefined) return;
    await gaps.add(loss);
    deps.onAvailable();
  };
  const { recovered, lastNo } = await recoverSegments(folder, (no) => counts.of(no), fault, deps.onStored);
  // A number is never used again: what is known of the segment that had it would be taken for the new one's.
  let nextNo = Math.max(lastNo, counts.lastNo, gaps.lastSegmentNo) + 1;
  for (const { segment, losses } of recovered) {
    if (gaps.reports(segment.no)) {
      await forget(segment);
      continue;
    }
    for (const loss of losses) await report(loss);
    if (segment.waiting > 0) segments.set(segment.no, segment);
    else await forget(segment);
  }
  const writer = createWriter({ folder, nowMs, nextNo: () => nextNo++ });
  let unwritten: Unwritten[] = [];
  let unwrittenBytes = 0;
  let atHand: OutboxItem[] = [];
  let atHandBytes = 0;
  let isOnline = false;
  let cached: { readonly no: number; readonly records: ReadonlyMap<number, OutboxRecord> } | undefined;
  let work: Promise<void> = Promise.resolve();
  const queued = (job: () => Promise<void>) => {
    work = work.then(job).catch(fault);
    return work;
  };

  const seal = async () => {
    const sealed = await writer.seal();
    if (sealed !== undefined) await retire(sealed);
  };
  const retire = async (segment: Segment) => {
    if (segment.waiting + segment.inFlight > 0) return;
    if (writer.active === segment) {
      if (segment.bytes >= limits.worthRetiringBytes) await seal();
    } else await forget(segment);
  };
  const addToSegment = (segment: Segment, { record, payload }: Unwritten) => {
    const isAtHand = isOnline && atHand.length < limits.atHand.records && atHandBytes < limits.atHand.bytes;
    const index = addRecord(segment, record, isAtHand ? 'inFlight' : 'waiting');
    if (isAtHand) {
      atHandBytes += payload.length;
      atHand.push({ record, origin: { kind: 'segment', segment, index } });
    }
    deps.onStored?.(record);
  };
  const write = async () => {
    const batch = unwritten;
    [unwritten, unwrittenBytes] = [[], 0];
    if (batch.length === 0) return;
    const isResult = batch.some(({ record }) => record.record.case === 'result');
    try {
      const segment = await writer.write(batch).catch(async (error: unknown) => {
        // On a full disk the oldest history goes first, as it does in a full outbox.
        if (!isResult || !isDiskFull(error) || !(await dropOldest('disk full'))) throw error;
        return writer.write(batch);
      });
      segments.set(segment.no, segment);
      for (const one of batch) addToSegment(segment, one);
      await counts.set(segment.no, countsOf(segment));
      lastFault = '';
    } catch (error) {
      fault(error);
      await keepInMemory(batch, messageOf(error));
    }
    if ((writer.active?.bytes ?? 0) >= limits.segmentBytes) await seal();
    await dropBeyondLimits();
    deps.onAvailable();
  };
  /** The disk took nothing: memory keeps it, up to a bound. */
  const keepInMemory = async (batch: readonly Unwritten[], why: string) => {
    const segment = createSegment(nextNo++, undefined, nowMs());
    segments.set(segment.no, segment);
    segment.bytes = batch.reduce((sum, { payload }) => sum + payload.length, 0);
    for (const one of batch) addToSegment(segment, one);
    const kept = [...segments.values()].filter(({ memory }) => memory !== undefined);
    let { waiting, inFlight } = totalOf(kept);
    let bytes = kept.reduce((sum, one) => sum + one.bytes, 0);
    for (const oldest of kept) {
      if (waiting + inFlight <= limits.inMemory.records && bytes <= limits.inMemory.bytes) break;
      if (oldest.inFlight > 0) continue;
      waiting -= oldest.waiting;
      bytes -= oldest.bytes;
      await report(giveUp(oldest, 'waiting', `the agent's disk refuses writes: ${why}`));
      await retire(oldest);
    }
    await hold();
  };
  const hold = () =>
    gaps.hold(inMemoryOnly(segments.values(), 'could be kept in memory only, and the agent ended'));
  /** Gives up the oldest segment that may be given up; whether there was one. */
  const dropOldest = async (reason: string, mayDrop = (_segment: Segment) => true): Promise<boolean> => {
    for (const segment of segments.values()) {
      // What is on its way out may have arrived: it is neither lost nor told as lost.
      if (segment.file === undefined || writer.active === segment || segment.inFlight > 0) continue;
      if (!mayDrop(segment)) continue;
      const loss = giveUp(segment, 'waiting', reason);
      await report(loss && { ...loss, segmentNo: segment.no });
      await forget(segment);
      return true;
    }
    return false;
  };
  const dropBeyondLimits = async () => {
    const isTooOld = ({ bornMs }: Segment) => nowMs() - bornMs > limits.maxAgeMs;
    while (await dropOldest('older than 7 days', isTooOld));
    while (totalOf(segments.values()).bytes > deps.maxBytes) if (!(await dropOldest('outbox full'))) break;
  };

  const takeFrom = async (segment: Segment, max: number): Promise<OutboxItem[]> => {
    // A file that can't be read just now (no descriptor left, say) loses nothing: it is read again later.
    const read = async (file: string) =>
      cached?.no === segment.no ? cached.records : await readRecords(file).catch(fault);
    const records = segment.memory ?? (segment.file === undefined ? undefined : await read(segment.file));
    if (records === undefined) return [];
    if (segment.memory === undefined)
      cached = writer.active === segment ? undefined : { no: segment.no, records };
    const { items, lost } = takeWaiting(segment, records, max);
    const { minStartUs: fromUs, maxStartUs: toUs } = segment;
    if (lost > 0) await report({ fromUs, toUs, dropped: lost, reason: 'damaged on disk' });
    return items.map(({ record, index }) => ({ record, origin: { kind: 'segment', segment, index } }));
  };

  const writing = createThrottle({ clock, apartMs: limits.groupMs, job: () => void queued(write) });

  return {
    append(record) {
      const payload = toBinary(OutboxRecordSchema, record);
      if (unwritten.length >= limits.unwritten.records || unwrittenBytes >= limits.unwritten.bytes) {
        if (record.record.case !== 'result') return;
        const atUs = Number(record.record.value.startUs);
        void report({ fromUs: atUs, toUs: atUs, dropped: 1, reason: "the agent's disk does not answer" });
        return;
      }
      unwritten.push({ record, payload });
      unwrittenBytes += payload.length;
      writing.schedule();
    },
    flushed: () => queued(write),
    setOnline(value) {
      isOnline = value;
      if (value) return;
      [atHand, atHandBytes] = [[], 0];
      gaps.release();
      void queued(async () => {
        for (const segment of segments.values()) putBack(segment);
      });
    },
    nextNew(max) {
      const gapItems = gaps.take().map((gap): OutboxItem => {
        const record = create(OutboxRecordSchema, { record: { case: 'gap', value: gap } });
        return { record, origin: { kind: 'gap', gap } };
      });
      const fresh = atHand.splice(0, Math.max(0, max - gapItems.length));
      if (atHand.length === 0) atHandBytes = 0;
      return [...gapItems, ...fresh];
    },
    async nextBacklog(max, maxBytes = Number.POSITIVE_INFINITY) {
      const items: OutboxItem[] = [];
      await queued(async () => {
        let readBytes = 0;
        for (const segment of segments.values()) {
          if (!isOnline || items.length >= max || readBytes >= maxBytes) break;
          if (segment.waiting === 0) continue;
          items.push(...(await takeFrom(segment, max - items.length)));
          readBytes += segment.bytes;
        }
      });
      return items;
    },
    async ack(items) {
      await queued(async () => {
        const touched = new Set<Segment>();
        for (const { origin } of items) {
          if (origin.kind === 'gap') {
            await gaps.ack(origin.gap);
            continue;
          }
          setState(origin.segment, origin.index, 'done');
          touched.add(origin.segment);
        }
        for (const segment of touched) {
          if (segment.file !== undefined) await counts.set(segment.no, countsOf(segment));
          await retire(segment);
        }
        await hold();
      });
    },
    get records() {
      const { waiting, inFlight } = totalOf(segments.values());
      return gaps.waiting + waiting + inFlight;
    },
    get bytes() {
      return totalOf(segments.values()).bytes;
    },
    get backlog() {
      return totalOf(segments.values()).waiting;
    },
    async [Symbol.asyncDispose]() {
      writing[Symbol.dispose]();
      await queued(write);
      await queued(seal);
      await gaps[Symbol.asyncDispose]();
      await counts[Symbol.asyncDispose]();
    },
  };
}
