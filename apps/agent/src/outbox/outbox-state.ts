import { mebibyte } from '@vantage/domain';
import { declareState } from '@vantage/kernel';
import type { GapRecord } from '@vantage/proto';
import { type AckPosition, keptLimits } from './kept.ts';
import { addRecord, createSegment, type EncodedRecord, putBack, type Segment, setState } from './segment.ts';

/** The bounds of an outbox, in files and in memory. */
export const limits = {
  /** A segment file is closed from this size on. */
  segmentBytes: mebibyte,
  /** Groups of records are written, each with one fsync, at most this often; the first after a pause at once. */
  groupMs: 10,
  /** And this often after a group of so many records, because a group costs far more CPU than a record. */
  large: { records: 8, groupMs: 40 },
  /** A segment in use whose records are all acknowledged is removed from this size on. */
  worthRetiringBytes: 64 * 1024,
  maxAgeMs: 7 * 24 * 3600 * 1000,
  /** New records kept at hand while online; more are read back from disk. */
  atHand: { records: 5000, bytes: 8 * mebibyte },
  /** Records that wait for a disk that does not answer. */
  unwritten: { records: 20_000, bytes: 16 * mebibyte },
  /** Records that the disk refused; they wait in memory for their ack. */
  inMemory: { records: 5000, bytes: 16 * mebibyte },
} as const;

/** A record taken out to be sent. It ends by `ack`, or waits again when the connection ends. */
export interface OutboxItem {
  /** Its protobuf message, an OutboxRecord: so it is written, sent and read back without being encoded again. */
  readonly payload: Uint8Array;
  readonly origin:
    | { readonly kind: 'segment'; readonly segment: Segment; readonly index: number }
    | { readonly kind: 'gap'; readonly gap: GapRecord };
}

/**
 * The records of the outbox. The functions of this file are its only transitions, beside those of a single segment;
 * they do no I/O. A record is in one place at a time: unwritten, waiting in a segment, in flight (at hand or taken
 * out), or done.
 */
export interface OutboxState {
  /** By number, oldest first. */
  readonly segments: Map<number, Segment>;
  /** Records that are not on disk yet, and their bytes. */
  unwritten: EncodedRecord[];
  unwrittenBytes: number;
  /** New records that are on disk and still in memory, and their bytes. */
  atHand: OutboxItem[];
  atHandBytes: number;
  isOnline: boolean;
  /** Of all records in memory. */
  readonly bytes: number;
}

const tracked = declareState({
  name: 'outbox_in_memory',
  entries: limits.unwritten.bytes + limits.atHand.bytes + limits.inMemory.bytes + keptLimits.memoryBytes,
  entryBytes: 1,
  filledBy: 'results while the disk or the controller is slow',
  atBound: 'records at hand are read from disk; others are dropped, and a data gap names them',
});

/** Creates an empty outbox, offline. */
export function createOutboxState(): OutboxState {
  return tracked<OutboxState>({
    segments: new Map(),
    unwritten: [],
    unwrittenBytes: 0,
    atHand: [],
    atHandBytes: 0,
    isOnline: false,
    get bytes() {
      const refused = [...this.segments.values()].filter(({ memory }) => memory !== undefined);
      return refused.reduce((sum, { bytes }) => sum + bytes, this.unwrittenBytes + this.atHandBytes);
    },
  });
}

/** Accepts a record to be written; false when the bound of records that wait for the disk is reached. */
export function offerRecord(state: OutboxState, one: EncodedRecord): boolean {
  const { records, bytes } = limits.unwritten;
  if (state.unwritten.length >= records || state.unwrittenBytes >= bytes) return false;
  state.unwritten.push(one);
  state.unwrittenBytes += one.payload.length;
  return true;
}

/** Takes out all records that are to be written. */
export function takeUnwritten(state: OutboxState): readonly EncodedRecord[] {
  const batch = state.unwritten;
  state.unwritten = [];
  state.unwrittenBytes = 0;
  return batch;
}

/** Adds a written record to its segment; while online it stays at hand, up to a bound. */
export function addWritten(state: OutboxState, segment: Segment, one: EncodedRecord): void {
  const { payload } = one;
  const { records, bytes } = limits.atHand;
  const isAtHand = state.isOnline && state.atHand.length < records && state.atHandBytes < bytes;
  const index = addRecord(segment, one, isAtHand ? 'inFlight' : 'waiting');
  if (!isAtHand) return;
  state.atHandBytes += payload.length;
  state.atHand.push({ payload, origin: { kind: 'segment', segment, index } });
}

/** Adds records that the disk refused, as a segment in memory. */
export function addInMemory(
  state: OutboxState,
  batch: readonly EncodedRecord[],
  segmentFacts: { readonly no: number; readonly bornMs: number },
): void {
  const segment = createSegment(segmentFacts.no, undefined, segmentFacts.bornMs);
  segment.bytes = batch.reduce((sum, { payload }) => sum + payload.length, 0);
  state.segments.set(segment.no, segment);
  for (const one of batch) addWritten(state, segment, one);
}

/** Takes out the oldest records at hand, at most `max`. */
export function takeAtHand(state: OutboxState, max: number): readonly OutboxItem[] {
  const taken = state.atHand.splice(0, Math.max(0, max));
  if (state.atHand.length === 0) state.atHandBytes = 0;
  return taken;
}

/** While online, new records stay at hand; offline none does. `putBackAll` makes the records in flight wait again. */
export function setOnline(state: OutboxState, isOnline: boolean): void {
  state.isOnline = isOnline;
  if (isOnline) return;
  state.atHand = [];
  state.atHandBytes = 0;
}

/** Puts all records in flight back into the queue. */
export function putBackAll({ segments }: OutboxState): void {
  for (const segment of segments.values()) putBack(segment);
}

/** Marks items of segments as acknowledged; returns the segments that changed. */
export function markAcked(items: readonly OutboxItem[], position?: AckPosition): ReadonlySet<Segment> {
  const changed = new Set<Segment>();
  for (const { origin } of items) {
    if (origin.kind === 'gap') continue;
    setState(origin.segment, origin.index, 'acked');
    changed.add(origin.segment);
  }
  if (position === undefined) return changed;
  for (const { acks } of changed)
    acks.set(position.epochId, Math.max(acks.get(position.epochId) ?? 0, position.mark));
  return changed;
}

/**
 * The oldest segment on disk that may be dropped. One with a record in flight may not: that record may have arrived.
 */
export function oldestDroppable(
  { segments }: OutboxState,
  active: Segment | undefined,
  mayDrop: (segment: Segment) => boolean,
): Segment | undefined {
  for (const segment of segments.values()) {
    const isFixed = segment.file === undefined || segment === active || segment.inFlight > 0;
    if (!isFixed && mayDrop(segment)) return segment;
  }
  return undefined;
}

/** The oldest segments in memory that must be given up so that the rest is within its bound. */
export function memoryOverflow({ segments }: OutboxState): readonly Segment[] {
  const inMemory = [...segments.values()].filter(({ memory }) => memory !== undefined);
  let records = inMemory.reduce((sum, { waiting, inFlight }) => sum + waiting + inFlight, 0);
  let bytes = inMemory.reduce((sum, each) => sum + each.bytes, 0);
  const givenUp: Segment[] = [];
  for (const segment of inMemory) {
    if (records <= limits.inMemory.records && bytes <= limits.inMemory.bytes) break;
    if (segment.inFlight > 0) continue;
    records -= segment.waiting;
    bytes -= segment.bytes;
    givenUp.push(segment);
  }
  return givenUp;
}
