import { declareState } from '@vantage/kernel';
import type { OutboxRecord } from '@vantage/proto';
import type { Loss } from './gaps.ts';

const hasEnded = (state: RecordState | undefined) => state === 'acked' || state === 'done';

/** A record and its protobuf message. */
export interface EncodedRecord {
  readonly record: OutboxRecord;
  readonly payload: Uint8Array;
}

/** One segment: a file of records, or (where the disk refused them) records in memory only. */
export interface Segment {
  readonly no: number;
  /** Undefined: there is no file, or no longer. */
  file: string | undefined;
  /** The encoded records themselves, where the disk refused them. */
  readonly memory: Map<number, Uint8Array> | undefined;
  bytes: number;
  readonly states: RecordStates;
  /** The last mark at which its records were acknowledged, by epoch. */
  readonly acks: Map<string, number>;
  /** An earlier run received acks of its records. */
  wasAckedBefore: boolean;
  /** All records before this index have ended; those behind may have. */
  doneBefore: number;
  /** How many of its records, also those done, are check results. */
  results: number;
  waiting: number;
  inFlight: number;
  /** Least and greatest start of its results, microseconds; Infinity and -Infinity without any. */
  minStartUs: number;
  maxStartUs: number;
  /** When its first record was made, milliseconds of the corrected clock where that is known. */
  readonly bornMs: number;
}

const tracked = declareState({
  name: 'outbox_records',
  entries: { each: 'record of the outbox' },
  entryBytes: 2,
  filledBy: 'results while the controller is away',
  atBound: 'VANTAGE_AGENT_OUTBOX_MB: the oldest are dropped, a data gap names them',
});

/** A segment without records. */
export function createSegment(no: number, file: string | undefined, bornMs: number): Segment {
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
export function addRecord(segment: Segment, { record, payload }: EncodedRecord, state: RecordState): number {
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
export function setState(segment: Segment, index: number, state: RecordState): void {
  const old = segment.states.at(index);
  if (old === undefined || old === state) return;
  if (old === 'waiting' || old === 'inFlight') segment[old] -= 1;
  if (state === 'waiting' || state === 'inFlight') segment[state] += 1;
  segment.states.set(index, state);
}

/** The counts of a segment when it was last written. */
export interface Counts {
  readonly frames: number;
  readonly results: number;
  /** So many of its first records are acknowledged, or were lost and reported. */
  readonly done: number;
}

/** The counts that are stored beside a segment's file. */
export function countsOf(segment: Segment): Counts {
  const { states, results } = segment;
  while (hasEnded(states.at(segment.doneBefore))) segment.doneBefore += 1;
  return { frames: states.length, results, done: segment.doneBefore };
}

/**
 * Takes out at most `max` waiting records. Those that are not among `payloads` become done; `lost` counts their
 * results.
 */
export function takeWaiting(
  segment: Segment,
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
export function putBack(segment: Segment): void {
  if (segment.inFlight === 0) return;
  for (const index of segment.states.indexesOf('inFlight')) setState(segment, index, 'waiting');
}

/** Returns acknowledged records to the state `waiting`. */
export function sendAgain(segment: Segment): void {
  for (const index of segment.states.indexesOf('acked')) setState(segment, index, 'waiting');
  segment.acks.clear();
  segment.wasAckedBefore = false;
  segment.doneBefore = 0;
}

/** Marks all records of a state as done; returns the lost results, or undefined when none was lost. */
export function giveUp(segment: Segment, state: RecordState, reason: string): Loss | undefined {
  let dropped = 0;
  for (const index of segment.states.indexesOf(state)) {
    if (segment.states.isResult(index)) dropped += 1;
    setState(segment, index, 'done');
  }
  if (dropped === 0) return undefined;
  return { fromUs: segment.minStartUs, toUs: segment.maxStartUs, dropped, reason };
}

/** The results, not acked yet, of segments without a file; undefined when there is none. */
export function inMemoryOnly(segments: Iterable<Segment>, reason: string): Loss | undefined {
  const all = [...segments].filter(({ file }) => file === undefined);
  const live = ({ states }: Segment) => [...states.indexesOf('waiting'), ...states.indexesOf('inFlight')];
  const dropped = all.reduce(
    (sum, segment) => sum + live(segment).filter((index) => segment.states.isResult(index)).length,
    0,
  );
  if (dropped === 0) return undefined;
  const fromUs = Math.min(...all.map((segment) => segment.minStartUs));
  return { fromUs, toUs: Math.max(...all.map((segment) => segment.maxStartUs)), dropped, reason };
}

/** The sum over segments: bytes on disk, records that wait and records in flight. */
export function totalOf(segments: Iterable<Segment>): {
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

/** The state of a record in a segment. It has ended when it is acked, or done: lost and reported. */
export type RecordState = 'waiting' | 'inFlight' | 'acked' | 'done';

const codes = { waiting: 0, inFlight: 1, acked: 2, done: 3 } as const satisfies Record<RecordState, number>;
const states = Object.keys(codes) as RecordState[];
const stateBits = 0b011;
const resultBit = 0b100;
const firstCapacity = 64;

/**
 * The states of a segment's records, by their index, in one byte each: a segment that is kept after its acknowledgement
 * costs hardly any memory.
 */
export class RecordStates {
  #bytes = new Uint8Array(firstCapacity);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Adds a record; returns its index. */
  push(state: RecordState, isResult: boolean): number {
    if (this.#length === this.#bytes.length) {
      const longer = new Uint8Array(this.#length * 2);
      longer.set(this.#bytes);
      this.#bytes = longer;
    }
    this.#bytes[this.#length] = codes[state] | (isResult ? resultBit : 0);
    this.#length += 1;
    return this.#length - 1;
  }

  /** The state of the record; undefined beyond the end. */
  at(index: number): RecordState | undefined {
    return index < this.#length ? states[(this.#bytes[index] ?? 0) & stateBits] : undefined;
  }

  /** Sets the state of a record that is there. */
  set(index: number, state: RecordState): void {
    this.#bytes[index] = ((this.#bytes[index] ?? 0) & resultBit) | codes[state];
  }

  /** Whether the record is a check result. Data gaps do not count the others (coverage, clock). */
  isResult(index: number): boolean {
    return ((this.#bytes[index] ?? 0) & resultBit) !== 0;
  }

  includes(state: RecordState): boolean {
    return this.#bytes.subarray(0, this.#length).some((byte) => (byte & stateBits) === codes[state]);
  }

  /** The indexes of the records in a state, in order. A record whose state changes meanwhile counts as it then is. */
  *indexesOf(state: RecordState): Generator<number> {
    for (let index = 0; index < this.#length; index += 1) if (this.at(index) === state) yield index;
  }
}
