import { declareState } from '@vantage/kernel';
import type { OutboxRecord } from '@vantage/proto';
import type { Loss } from './data-gaps.ts';
import { type RecordState, RecordStates } from './record-states.ts';

const hasEnded = (state: RecordState | undefined) => state === 'acked' || state === 'done';

/** A record and its protobuf message. */
export interface EncodedRecord {
  readonly record: OutboxRecord;
  readonly payload: Uint8Array;
}

/** One segment: a file of records, or (where the disk refused them) records in memory only. */
export interface OutboxSegment {
  readonly no: number;
  /** Undefined: the segment has no file, or its file is deleted. */
  file: string | undefined;
  /** The encoded records, where the disk refused them. */
  readonly memory: Map<number, Uint8Array> | undefined;
  bytes: number;
  readonly states: RecordStates;
  /** The highest sequence of its acknowledged records, by epoch. */
  readonly acks: Map<string, number>;
  /** An earlier run received acks for its records. */
  wasAckedBefore: boolean;
  /** All records before this index have ended. Later records may have ended too. */
  doneBefore: number;
  /** The number of check results among all its records. */
  results: number;
  waiting: number;
  inFlight: number;
  /** The earliest and latest start of its results, microseconds; Infinity and -Infinity without results. */
  minStartUs: number;
  maxStartUs: number;
  /** When its first record was made: milliseconds, by the corrected clock if known. */
  readonly bornMs: number;
}

const tracked = declareState({
  name: 'outbox_records',
  entries: { each: 'record of the outbox' },
  entryBytes: 2,
  filledBy: 'results while the controller is unreachable',
  atBound: 'VANTAGE_AGENT_OUTBOX_MB: the oldest are dropped, a data gap names them',
});

export function createSegment(no: number, file: string | undefined, bornMs: number): OutboxSegment {
  return {
    no,
    file,
    memory: file === undefined ? new Map() : undefined,
    bytes: 0,
    states: tracked(new RecordStates()),
    acks: new Map(),
    wasAckedBefore: false,
    doneBefore: 0,
    results: 0,
    waiting: 0,
    inFlight: 0,
    minStartUs: Number.POSITIVE_INFINITY,
    maxStartUs: Number.NEGATIVE_INFINITY,
    bornMs,
  };
}

/** Adds a record at the segment's end; returns its index. */
export function addRecord(
  segment: OutboxSegment,
  { record, payload }: EncodedRecord,
  state: RecordState,
): number {
  const index = segment.states.push('done', record.record.case === 'result');
  segment.memory?.set(index, payload);
  if (record.record.case === 'result') {
    segment.results += 1;
    const startUs = Number(record.record.value.startUs);
    segment.minStartUs = Math.min(segment.minStartUs, startUs);
    segment.maxStartUs = Math.max(segment.maxStartUs, startUs);
  }
  setState(segment, index, state);
  return index;
}

/** Moves a record to another state. */
export function setState(segment: OutboxSegment, index: number, state: RecordState): void {
  const old = segment.states.at(index);
  if (old === undefined || old === state) return;
  if (old === 'waiting' || old === 'inFlight') segment[old] -= 1;
  if (state === 'waiting' || state === 'inFlight') segment[state] += 1;
  segment.states.set(index, state);
}

/** The counts of a segment at its last write. */
export interface SegmentCounts {
  readonly frames: number;
  readonly results: number;
  /** Leading records that are acknowledged, or were lost and reported. */
  readonly done: number;
}

/** The counts to store for the file of a segment. */
export function countsOf(segment: OutboxSegment): SegmentCounts {
  const { states, results } = segment;
  while (hasEnded(states.at(segment.doneBefore))) segment.doneBefore += 1;
  return { frames: states.length, results, done: segment.doneBefore };
}

/**
 * Takes out at most `max` waiting records. A record without a payload becomes done; `lost` counts the results among
 * these.
 */
export function takeWaiting(
  segment: OutboxSegment,
  payloads: ReadonlyMap<number, Uint8Array>,
  max: number,
): {
  readonly items: readonly { readonly payload: Uint8Array; readonly index: number }[];
  readonly lost: number;
} {
  const items: { payload: Uint8Array; index: number }[] = [];
  let lost = 0;
  for (const index of segment.states.indexesOf('waiting')) {
    if (items.length >= max) break;
    const payload = payloads.get(index);
    if (payload === undefined && segment.states.isResult(index)) lost += 1;
    if (payload !== undefined) items.push({ payload, index });
    setState(segment, index, payload === undefined ? 'done' : 'inFlight');
  }
  return { items, lost };
}

/** Puts the records in flight back into the queue. */
export function putBack(segment: OutboxSegment): void {
  if (segment.inFlight === 0) return;
  for (const index of segment.states.indexesOf('inFlight')) setState(segment, index, 'waiting');
}

/** Sets the acknowledged records to waiting again. */
export function sendAgain(segment: OutboxSegment): void {
  for (const index of segment.states.indexesOf('acked')) setState(segment, index, 'waiting');
  segment.acks.clear();
  segment.wasAckedBefore = false;
  segment.doneBefore = 0;
}

/** Sets all records of a state to done. Returns the lost results; undefined when no result was lost. */
export function giveUp(segment: OutboxSegment, state: RecordState, reason: string): Loss | undefined {
  let dropped = 0;
  for (const index of segment.states.indexesOf(state)) {
    if (segment.states.isResult(index)) dropped += 1;
    setState(segment, index, 'done');
  }
  if (dropped === 0) return undefined;
  return { fromUs: segment.minStartUs, toUs: segment.maxStartUs, dropped, reason };
}

/** The unacknowledged results of segments without a file; undefined: there are none. */
export function inMemoryOnly(segments: Iterable<OutboxSegment>, reason: string): Loss | undefined {
  const all = [...segments].filter(({ file }) => file === undefined);
  const live = ({ states }: OutboxSegment) => [
    ...states.indexesOf('waiting'),
    ...states.indexesOf('inFlight'),
  ];
  const dropped = all.reduce(
    (sum, segment) => sum + live(segment).filter((index) => segment.states.isResult(index)).length,
    0,
  );
  if (dropped === 0) return undefined;
  const fromUs = Math.min(...all.map((segment) => segment.minStartUs));
  return { fromUs, toUs: Math.max(...all.map((segment) => segment.maxStartUs)), dropped, reason };
}

/** The sums over segments: bytes on disk, waiting records, records in flight. */
export function totalOf(segments: Iterable<OutboxSegment>): {
  readonly bytes: number;
  readonly waiting: number;
  readonly inFlight: number;
} {
  const total = { bytes: 0, waiting: 0, inFlight: 0 };
  for (const segment of segments) {
    if (segment.file !== undefined) total.bytes += segment.bytes;
    total.waiting += segment.waiting;
    total.inFlight += segment.inFlight;
  }
  return total;
}
