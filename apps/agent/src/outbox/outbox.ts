import { unlink } from 'node:fs/promises';
import { create, toBinary } from '@bufbuild/protobuf';
import type { Clock } from '@vantage/kernel';
import { type OutboxRecord, OutboxRecordSchema } from '@vantage/proto';
import { createFaultReporter, ensureFolder } from '../storage/disk.ts';
import { openGaps } from './gaps.ts';
import {
  type AckPosition,
  createKept,
  type DatabaseHistory,
  keptLimits,
  openEpochs,
  sendLostAgain,
} from './kept.ts';
import {
  createOutboxState,
  limits,
  markAcked,
  type OutboxItem,
  offerRecord,
  putBackAll,
  setOnline,
  takeAtHand,
  takeUnwritten,
} from './outbox-state.ts';
import { type Segment, totalOf } from './segment.ts';
import { openCounts } from './segment-file.ts';
import { createSegmentStore, recoverSegments } from './segment-store.ts';

/**
 * Records on their way to the controller. A record that `append` accepted is on disk (fsynced) before it can be taken
 * out, and stays there until it is acknowledged. Beyond the limits the oldest results are dropped and reported as a
 * data gap.
 */
export interface Outbox extends AsyncDisposable {
  append(record: OutboxRecord): void;
  /** Resolves when everything appended before is on disk, or given up. */
  flushed(): Promise<void>;
  /**
   * While online, new records are kept at hand for `nextNew`. Offline, everything that was not acknowledged waits
   * again.
   */
  setOnline(isOnline: boolean): void;
  /** Data gaps, and the new records that came since the outbox is online. */
  nextNew(max: number): readonly OutboxItem[];
  /** Older records, oldest first, from disk. Beyond `maxBytes` no further segment is read. */
  nextBacklog(max: number, maxBytes?: number): Promise<readonly OutboxItem[]>;
  /**
   * Resolves when it is on disk; until then the items are in memory. `position`: where the commit stands in the history
   * of the database; undefined: the controller does not say it.
   */
  ack(items: readonly OutboxItem[], position?: AckPosition): Promise<void>;
  /** The epochs of the acks that it remembers, at most 8. */
  readonly epochIds: readonly string[];
  /** The database may have gone back: what it does not have any more waits again, or is reported as a data gap. */
  sendAgain(history: DatabaseHistory): Promise<void>;
  /** Sets the one listener, which is called when records can be taken. */
  onAvailable(listener: () => void): void;
  /** Records that are not acknowledged yet, and the bytes they hold on disk. */
  readonly records: number;
  readonly bytes: number;
  /** New records that `nextNew` gives. */
  readonly atHand: number;
  /** Records that only `nextBacklog` gives. */
  readonly backlog: number;
}

interface OutboxDeps {
  readonly folder: string;
  readonly maxBytes: number;
  readonly clock: Pick<Clock, 'monoMs' | 'timer'>;
  /** The corrected clock. */
  readonly nowMs: () => number;
  readonly newId: () => string;
  /** The disk refused something; called once per change. */
  readonly onFault: (text: string) => void;
  /**
   * A record is on disk: an earlier run left it there, or it was just written. In the order in which they were made.
   */
  readonly onStored?: (record: OutboxRecord) => void;
  /** Records are about to leave the disk. What was derived from them must be on disk when this resolves. */
  readonly beforeDelete?: () => Promise<void>;
  /** So long are acknowledged records kept; 0: not at all. */
  readonly keepMs?: number;
}

/**
 * Opens the outbox in a folder, with the records that earlier runs left there. Never throws for a fault of the disk.
 */
export async function openOutbox(deps: OutboxDeps): Promise<Outbox> {
  const { state, store, gaps, counts, epochs, kept, faults, available, onAvailable } = await openFiles(deps);
  const { segments } = state;
  let work: Promise<void> = Promise.resolve();
  const queued = (job: () => Promise<void>) => {
    work = work.then(job).catch(faults.report);
    return work;
  };
  let groupMs: number = limits.groupMs;
  const writes = gatherCalls<void>(queued, () => {
    const group = takeUnwritten(state);
    groupMs = group.length < limits.large.records ? limits.groupMs : limits.large.groupMs;
    return store.write(group);
  });
  const write = () => writes.add();
  const acks = gatherCalls<Ack>(queued, async (all) => {
    const changed = new Set<Segment>();
    for (const { items, position } of all) {
      for (const { origin } of items) {
        if (origin.kind !== 'gap') continue;
        await gaps.ack(origin.gap);
        kept.keepGap(origin.gap, position);
      }
      if (position !== undefined) await epochs.acked(position);
      for (const segment of markAcked(items, position)) changed.add(segment);
    }
    await store.acked(changed);
  });
  const writing = createThrottle({
    clock: deps.clock,
    minIntervalMs: () => groupMs,
    job: () => void write(),
  });

  return {
    append(record) {
      if (offerRecord(state, { record, payload: toBinary(OutboxRecordSchema, record) })) {
        writing.schedule();
      } else if (record.record.case === 'result') {
        const atUs = Number(record.record.value.startUs);
        const reason = "the agent's disk does not answer";
        void store.report({ fromUs: atUs, toUs: atUs, dropped: 1, reason });
      }
    },
    flushed: write,
    setOnline(isOnline) {
      setOnline(state, isOnline);
      if (isOnline) return;
      gaps.release();
      void queued(async () => putBackAll(state));
    },
    nextNew(max) {
      const gapItems = gaps.take().map((gap): OutboxItem => {
        const record = create(OutboxRecordSchema, { record: { case: 'gap', value: gap } });
        return { payload: toBinary(OutboxRecordSchema, record), origin: { kind: 'gap', gap } };
      });
      return [...gapItems, ...takeAtHand(state, max - gapItems.length)];
    },
    async nextBacklog(max, maxBytes = Number.POSITIVE_INFINITY) {
      const items: OutboxItem[] = [];
      await queued(async () => {
        let readBytes = 0;
        for (const segment of segments.values()) {
          if (!state.isOnline || items.length >= max || readBytes >= maxBytes) break;
          if (segment.waiting === 0) continue;
          items.push(...(await store.take(segment, max - items.length)));
          readBytes += segment.bytes;
        }
      });
      return items;
    },
    ack: (items, position) => acks.add({ items, position }),
    get epochIds() {
      return epochs.ids;
    },
    sendAgain(history) {
      // What is acknowledged from now on is not lost by this history.
      acks.close();
      return queued(async () => {
        await sendLostAgain(
          { segments, kept, counts, report: (loss) => store.report(loss) },
          history,
          epochs.lostEarlier(history),
        );
        available();
      });
    },
    onAvailable,
    get records() {
      const { waiting, inFlight } = totalOf(segments.values());
      return gaps.waiting + waiting + inFlight;
    },
    get bytes() {
      return totalOf(segments.values()).bytes;
    },
    get atHand() {
      return state.atHand.length;
    },
    get backlog() {
      return totalOf(segments.values()).waiting;
    },
    async [Symbol.asyncDispose]() {
      writing[Symbol.dispose]();
      await write();
      await queued(store.seal);
      await gaps[Symbol.asyncDispose]();
      await counts[Symbol.asyncDispose]();
      await epochs[Symbol.asyncDispose]();
    },
  };
}

/** An acknowledgement that is not on disk yet. */
interface Ack {
  readonly items: readonly OutboxItem[];
  readonly position: AckPosition | undefined;
}

/**
 * Gathers calls until the queued job that handles them begins. So the queue holds one job of a kind, however much more
 * slowly the disk works than calls come. `close`: later calls get a job of their own.
 */
function gatherCalls<Call>(
  queued: (job: () => Promise<void>) => Promise<void>,
  handle: (all: readonly Call[]) => Promise<void>,
): { readonly add: (call: Call) => Promise<void>; readonly close: () => void } {
  let gathered: { readonly all: Call[]; readonly handled: Promise<void> } | undefined;
  const begin = () => {
    const all: Call[] = [];
    const handled = queued(() => {
      if (gathered?.all === all) gathered = undefined;
      return handle(all);
    });
    return { all, handled };
  };
  return {
    add(call) {
      gathered ??= begin();
      gathered.all.push(call);
      return gathered.handled;
    },
    close() {
      gathered = undefined;
    },
  };
}

/** Opens the files of the outbox with the segments of earlier runs. */
async function openFiles(deps: OutboxDeps) {
  const { folder, maxBytes, nowMs, newId, onStored = () => {}, beforeDelete = async () => {} } = deps;
  const faults = createFaultReporter(deps.onFault);
  const { report: onFault } = faults;
  await ensureFolder(folder).catch(onFault);
  const gaps = await openGaps({ folder, newId, onFault });
  const counts = await openCounts(folder, onFault);
  const epochs = await openEpochs(folder, onFault);
  const state = createOutboxState();
  let available = () => {};
  const { recovered, lastNo } = await recoverSegments(folder, (no) => counts.of(no), onFault, onStored);
  // A number is never used again, because the files may still hold counts and gaps of the segment that had it.
  let newestNo = Math.max(lastNo, counts.lastNo, gaps.lastSegmentNo);
  const nextNo = () => {
    newestNo += 1;
    return newestNo;
  };
  const onAvailable = () => available();
  const files = { folder, state, gaps, counts, faults };
  const calls = { nowMs, nextNo, onAvailable, onStored, beforeDelete };
  const keepMs = deps.keepMs ?? keptLimits.ms;
  const kept = createKept({
    live: state.segments,
    keepMs,
    nowMs: deps.clock.monoMs,
    async remove({ file }) {
      await beforeDelete();
      if (file !== undefined) await unlink(file).catch(onFault);
    },
  });
  const store = createSegmentStore({ ...files, ...calls, kept, maxBytes });
  for (const { segment, losses } of recovered) {
    const isReported = gaps.reports(segment.no);
    if (!isReported) for (const loss of losses) await store.report(loss);
    if (!isReported && segment.waiting > 0) state.segments.set(segment.no, segment);
    else if (isReported) await store.remove(segment);
    else await store.keep(segment);
  }
  return {
    state,
    store,
    gaps,
    counts,
    epochs,
    kept,
    faults,
    available: onAvailable,
    onAvailable: (listener: () => void) => {
      available = listener;
    },
  };
}

/** Runs a job soon after a request, and at most once in a period. One run answers all requests that came before it. */
interface Throttle extends Disposable {
  schedule(): void;
}

/**
 * Creates the throttle: the job starts at most once in `minIntervalMs`, which is asked before each start. After
 * disposal it starts no more.
 */
export function createThrottle(deps: {
  readonly clock: Pick<Clock, 'monoMs' | 'timer'>;
  readonly minIntervalMs: () => number;
  readonly job: () => void;
}): Throttle {
  const { clock, minIntervalMs, job } = deps;
  let begunMs = Number.NEGATIVE_INFINITY;
  let timer: Disposable | undefined;
  let isOver = false;
  return {
    schedule() {
      if (isOver) return;
      timer ??= clock.timer(Math.max(0, begunMs + minIntervalMs() - clock.monoMs()), () => {
        timer = undefined;
        begunMs = clock.monoMs();
        job();
      });
    },
    [Symbol.dispose]() {
      isOver = true;
      timer?.[Symbol.dispose]();
    },
  };
}
