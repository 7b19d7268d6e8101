import { create, toBinary } from '@bufbuild/protobuf';
import { type OutboxRecord, OutboxRecordSchema } from '@vantage/proto';
import type { AckPosition, EpochHistory } from './ack-position.ts';
import { gatherCalls } from './gather-calls.ts';
import { type OutboxDeps, openOutboxFiles } from './outbox-files.ts';
import {
  acknowledgeItems,
  limits,
  type OutboxItem,
  offerRecord,
  putBackAll,
  setOnline,
  takeAtHand,
  takeUnwritten,
} from './outbox-state.ts';
import { sendLostAgain } from './resend-lost.ts';
import { type OutboxSegment, totalOf } from './segment.ts';
import { createThrottle } from './throttle.ts';

/**
 * Records on their way to the controller. An appended record is fsynced before it can be taken out, and it stays on
 * disk until it is acknowledged. Beyond the limits the oldest results are dropped and reported as a data gap.
 */
export interface Outbox extends AsyncDisposable {
  append(record: OutboxRecord): void;
  /** Resolves when everything appended before is on disk or has been dropped. */
  flushed(): Promise<void>;
  /** While online, new records stay in memory for `nextNew`. Offline, all unacknowledged records wait again. */
  setOnline(isOnline: boolean): void;
  /** Data gaps, and the records that were appended while online. */
  nextNew(max: number): readonly OutboxItem[];
  /** Older records from disk, oldest first. Reads no further segment once `maxBytes` are read. */
  nextBacklog(max: number, maxBytes?: number): Promise<readonly OutboxItem[]>;
  /**
   * Resolves when the ack is on disk; until then the items stay in memory. `position` is undefined where the controller
   * does not report it.
   */
  ack(items: readonly OutboxItem[], position?: AckPosition): Promise<void>;
  /** The epochs of the acks that the outbox remembers, at most 8. */
  readonly epochIds: readonly string[];
  /**
   * The database may have been restored to an earlier state. Records that it lost wait again or are reported as a data
   * gap.
   */
  sendAgain(history: EpochHistory): Promise<void>;
  /** Sets the only listener. It is called when records can be taken out. */
  onAvailable(listener: () => void): void;
  /** Records that are not acknowledged yet, and their bytes on disk. */
  readonly records: number;
  readonly bytes: number;
  /** New records that `nextNew` returns. */
  readonly atHand: number;
  /** Records that only `nextBacklog` returns. */
  readonly backlog: number;
}

/** Opens the outbox of a folder with the records of earlier runs. Never throws for a disk fault. */
export async function openOutbox(deps: OutboxDeps): Promise<Outbox> {
  const { state, store, gaps, counts, epochs, retained, faults, available, onAvailable } =
    await openOutboxFiles(deps);
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
    const changed = new Set<OutboxSegment>();
    for (const { items, position } of all) {
      for (const { origin } of items) {
        if (origin.kind !== 'gap') continue;
        await gaps.ack(origin.gap);
        retained.retainGap(origin.gap, position);
      }
      if (position !== undefined) await epochs.acked(position);
      for (const segment of acknowledgeItems(items, position)) changed.add(segment);
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
      // The history says nothing about later acks, so they get a job of their own.
      acks.close();
      return queued(async () => {
        await sendLostAgain(
          { segments, retained, counts, report: (loss) => store.report(loss) },
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
