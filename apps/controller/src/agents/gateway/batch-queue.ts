import { backoffMs, type Clock, type Logger, messageOf } from '@vantage/kernel';
import type { Batch } from '@vantage/proto';

/** The outcome of a batch; see the wire's Ack. */
export interface AcceptedBatch {
  readonly inserted: number;
  readonly repeated: number;
  readonly quarantined: number;
  /** The position of the commit in the history of the database; see the wire's Ack. */
  readonly epochId?: string;
  readonly mark?: bigint;
  /** The time that the controller took; see the wire's Ack. */
  readonly storedMs?: number;
  readonly waitingBatches?: number;
  readonly busyPermille?: number;
}

/**
 * Passes a batch to the ingest. Resolves after the commit, rejects when the batch should be tried again. The signal
 * aborts when no session waits for the outcome.
 */
export type AcceptBatch = (batch: Batch, signal: AbortSignal) => Promise<AcceptedBatch>;

/** A batch that is committed. */
export interface CommittedBatch extends AcceptedBatch {
  /** From its turn in this queue to the commit, whole milliseconds. */
  readonly tookMs: number;
}

/** The batches of one stream. They are committed one after the other; heartbeats are handled meanwhile. */
export interface BatchQueue {
  /**
   * Resolves when the queue has room for another batch, so an agent that sends without end must wait. The queue
   * disposes `share` after the batch.
   */
  add(batch: Batch, share: Disposable): Promise<void>;
  /** Works until closed or stopped. */
  run(): Promise<void>;
  /** Begins no further batch. The batch in work is finished; with `atOnce` the agent gets no ack for it. */
  stop(atOnce: boolean): void;
  /** Ends the queue, because the stream is gone. The agent sends batches without an ack again. */
  close(): void;
  /** Whether no batch is in work that an ack would follow. */
  readonly idle: boolean;
}

const maxWaiting = 4;
const retry = { baseMs: 200, capMs: 5_000 };

/** Creates the queue. `done` is called after each commit, `onIdle` whenever the queue is idle again. */
export function createBatchQueue({
  clock,
  log,
  accept,
  done,
  onIdle,
}: {
  readonly clock: Clock;
  readonly log: Logger;
  readonly accept: AcceptBatch;
  readonly done: (batchId: bigint, outcome: CommittedBatch) => void;
  readonly onIdle: () => void;
}): BatchQueue {
  const waiting: { readonly batch: Batch; readonly share: Disposable }[] = [];
  const closing = new AbortController();
  /** Aborts when no session waits for the current batch. */
  const gone = new AbortController();
  let busy = false;
  let wake = () => {};
  let capacity = () => {};

  const takeOne = async (batch: Batch) => {
    const begunMs = clock.monoMs();
    for (let attempt = 0; !closing.signal.aborted; attempt += 1) {
      try {
        const outcome = await accept(batch, gone.signal);
        done(batch.batchId, { ...outcome, tookMs: Math.round(clock.monoMs() - begunMs) });
        return;
      } catch (error) {
        if (closing.signal.aborted) return;
        if (attempt === 0)
          log.warn(
            { error: messageOf(error), records: batch.records.length },
            'a batch waits for the database',
          );
        await clock
          .sleep(retry.baseMs + backoffMs(attempt, retry, Math.random), closing.signal)
          .catch(() => {});
      }
    }
  };

  const letGo = () => {
    for (const { share } of waiting.splice(0)) share[Symbol.dispose]();
  };

  return {
    async add(batch, share) {
      while (waiting.length >= maxWaiting && !closing.signal.aborted) {
        await new Promise<void>((resolve) => {
          capacity = resolve;
        });
      }
      if (closing.signal.aborted) {
        share[Symbol.dispose]();
        return;
      }
      waiting.push({ batch, share });
      wake();
    },
    async run() {
      while (!closing.signal.aborted) {
        const next = waiting.shift();
        if (!next) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          continue;
        }
        capacity();
        busy = true;
        using _share = next.share;
        await takeOne(next.batch);
        busy = false;
        onIdle();
      }
    },
    stop(atOnce) {
      letGo();
      closing.abort();
      if (atOnce) {
        gone.abort();
        busy = false;
      }
      wake();
      capacity();
    },
    close() {
      letGo();
      closing.abort();
      gone.abort();
      wake();
      capacity();
    },
    get idle() {
      return !busy;
    },
  };
}
