import { mebibyte } from '@vantage/domain';
import { declareState } from '@vantage/kernel';
import type { GapRecord } from '@vantage/proto';
import type { AckPosition } from './ack-position.ts';
import { retentionLimits } from './retained-records.ts';
import {
  addRecord,
  createSegment,
  type EncodedRecord,
  type OutboxSegment,
  putBack,
  setState,
} from './segment.ts';

/** The bounds of an outbox, in files and in memory. */
export const limits = {
  /** A segment file is closed when it reaches this size. */
  segmentBytes: mebibyte,
  /**
   * Interval between two groups of records, each written with one fsync. The first group after a pause is written at
   * once.
   */
  groupMs: 10,
  /** The interval after a group with at least this many records, because a group costs far more CPU than a record. */
  large: { records: 8, groupMs: 40 },
  /** The active segment is removed from this size on when all its records are acknowledged. */
  worthRetiringBytes: 64 * 1024,
  maxAgeMs: 7 * 24 * 3600 * 1000,
  /** New records that stay in memory while online. Further records are read back from disk. */
  atHand: { records: 5000, bytes: 8 * mebibyte },
  /** Records that wait for a disk that does not answer. */
  unwritten: { records: 20_000, bytes: 16 * mebibyte },
  /** Records that the disk refused. They wait in memory for their ack. */
  inMemory: { records: 5000, bytes: 16 * mebibyte },
} as const;

/** A record that was taken out to be sent. `ack` ends it; if the connection ends first, it waits again. */
export interface OutboxItem {
  /** Its protobuf message OutboxRecord. It is written, sent and read back without being encoded again. */
  readonly payload: Uint8Array;
  readonly origin:
    | { readonly kind: 'segment'; readonly segment: OutboxSegment; readonly index: number }
    | { readonly kind: 'gap'; readonly gap: GapRecord };
}

/**
 * The records of the outbox. The functions of this file and those of a single segment are its only transitions. They do
 * no I/O. A record is always in exactly one state: unwritten, waiting in a segment, in flight (at hand or taken out),
 * or done.
 */
export interface OutboxState {
  /** By number, oldest first. */
  readonly segments: Map<number, OutboxSegment>;
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
  entries: limits.unwritten.bytes + limits.atHand.bytes + limits.inMemory.bytes + retentionLimits.memoryBytes,
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

/** Accepts a record to be written. False: too many records wait for the disk. */
export function offerRecord(state: OutboxState, encoded: EncodedRecord): boolean {
  const { records, bytes } = limits.unwritten;
  if (state.unwritten.length >= records || state.unwrittenBytes >= bytes) return false;
  state.unwritten.push(encoded);
  state.unwrittenBytes += encoded.payload.length;
  return true;
}

/** Takes out all records that are to be written. */
export function takeUnwritten(state: OutboxState): readonly EncodedRecord[] {
  const batch = state.unwritten;
  state.unwritten = [];
  state.unwrittenBytes = 0;
  return batch;
}

/** Adds a written record to its segment. While online it also stays in memory, up to a limit. */
export function addWritten(state: OutboxState, segment: OutboxSegment, encoded: EncodedRecord): void {
  const { payload } = encoded;
  const { records, bytes } = limits.atHand;
  const isAtHand = state.isOnline && state.atHand.length < records && state.atHandBytes < bytes;
  const index = addRecord(segment, encoded, isAtHand ? 'inFlight' : 'waiting');
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
  for (const encoded of batch) addWritten(state, segment, encoded);
}

/** Takes out the oldest records at hand, at most `max`. */
export function takeAtHand(state: OutboxState, max: number): readonly OutboxItem[] {
  const taken = state.atHand.splice(0, Math.max(0, max));
  if (state.atHand.length === 0) state.atHandBytes = 0;
  return taken;
}

/** While online, new records stay in memory; offline none does. `putBackAll` makes the records in flight wait again. */
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

/** Sets the items of segments to acknowledged. Returns the segments that changed. */
export function acknowledgeItems(
  items: readonly OutboxItem[],
  position?: AckPosition,
): ReadonlySet<OutboxSegment> {
  const changed = new Set<OutboxSegment>();
  for (const { origin } of items) {
    if (origin.kind === 'gap') continue;
    setState(origin.segment, origin.index, 'acked');
    changed.add(origin.segment);
  }
  if (position === undefined) return changed;
  for (const { acks } of changed)
    acks.set(position.epochId, Math.max(acks.get(position.epochId) ?? 0, position.sequence));
  return changed;
}

/**
 * The oldest segment on disk that may be dropped. A segment with a record in flight may not, because that record may
 * have arrived.
 */
export function oldestDroppable(
  { segments }: OutboxState,
  active: OutboxSegment | undefined,
  mayDrop: (segment: OutboxSegment) => boolean,
): OutboxSegment | undefined {
  for (const segment of segments.values()) {
    const isFixed = segment.file === undefined || segment === active || segment.inFlight > 0;
    if (!isFixed && mayDrop(segment)) return segment;
  }
  return undefined;
}

/** The oldest segments in memory that must be dropped so that the others are within the limit. */
export function memoryOverflow({ segments }: OutboxState): readonly OutboxSegment[] {
  const inMemory = [...segments.values()].filter(({ memory }) => memory !== undefined);
  let records = inMemory.reduce((sum, { waiting, inFlight }) => sum + waiting + inFlight, 0);
  let bytes = inMemory.reduce((sum, segment) => sum + segment.bytes, 0);
  const givenUp: OutboxSegment[] = [];
  for (const segment of inMemory) {
    if (records <= limits.inMemory.records && bytes <= limits.inMemory.bytes) break;
    if (segment.inFlight > 0) continue;
    records -= segment.waiting;
    bytes -= segment.bytes;
    givenUp.push(segment);
  }
  return givenUp;
}
