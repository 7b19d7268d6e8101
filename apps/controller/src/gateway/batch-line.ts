import { backoffMs, type Clock, type Logger, messageOf } from '@vantage/kernel';
import type { Batch } from '@vantage/proto';

/** What became of a batch; see the wire's Ack. */
export interface Taken {
  readonly inserted: number;
  readonly repeated: number;
  readonly setAside: number;
}

/** Hands a batch to the ingest; resolves after the commit, rejects when it should be tried again. */
export type TakeBatch = (batch: Batch) => Promise<Taken>;

/** The batches of one stream, taken one after the other beside its heartbeats. */
export interface BatchLine {
  /** Resolves when there is room for another: who sends without end waits. */
  add(batch: Batch): Promise<void>;
  /** Works until closed or stopped. */
  run(): Promise<void>;
  /** No further batch is begun; the one in work is finished, or, `atOnce`, left without an ack. */
  stop(atOnce: boolean): void;
  /** The stream is gone: batches not begun will come again. */
  close(): void;
  /** Nothing in work that an ack would follow. */
  readonly idle: boolean;
}

const mostWaiting = 4;
const retry = { baseMs: 200, capMs: 5_000 };

/** Makes the line. `done` is called after each commit, `rested` whenever the line is idle again. */
export function createBatchLine({
  clock,
  log,
  take,
  done,
  rested,
}: {
  readonly clock: Clock;
  readonly log: Logger;
  readonly take: TakeBatch;
  readonly done: (batchId: bigint, taken: Taken) => void;
  readonly rested: () => void;
}): BatchLine {
  const waiting: Batch[] = [];
  const closing = new AbortController();
  let busy = false;
  let rouse = () => {};
  let room = () => {};

  const takeOne = async (batch: Batch) => {
    for (let attempt = 0; !closing.signal.aborted; attempt += 1) {
      try {
        const taken = await take(batch);
        done(batch.batchId, taken);
        return;
      } catch (error) {
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

  return {
    async add(batch) {
      while (waiting.length >= mostWaiting && !closing.signal.aborted) {
        await new Promise<void>((resolve) => {
          room = resolve;
        });
      }
      if (closing.signal.aborted) return;
      waiting.push(batch);
      rouse();
    },
    async run() {
      while (!closing.signal.aborted) {
        const batch = waiting.shift();
        if (!batch) {
          await new Promise<void>((resolve) => {
            rouse = resolve;
          });
          continue;
        }
        room();
        busy = true;
        await takeOne(batch);
        busy = false;
        rested();
      }
    },
    stop(atOnce) {
      waiting.length = 0;
      closing.abort();
      if (atOnce) busy = false;
      rouse();
      room();
    },
    close() {
      waiting.length = 0;
      closing.abort();
      rouse();
      room();
    },
    get idle() {
      return !busy;
    },
  };
}
