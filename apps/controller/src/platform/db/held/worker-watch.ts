import { type Clock, type Logger, messageOf } from '@vantage/kernel';
import type { Kysely } from 'kysely';
import { isDistributed, workerStates } from '../distribute/index.ts';
import type { Tables } from '../schema.ts';

/** Knows whether the history is distributed, and whether one of its workers is away. */
export interface WorkerWatch {
  /** As the last review found it. */
  readonly isDistributed: boolean;
  /** A worker was away at the last review. */
  readonly isAway: boolean;
  /**
   * Asks the coordinator. Waits for a silent worker as long as Citus does (`citus.node_connection_timeout`). Callers at
   * the same time share one review. Resolves with `isAway`; where the coordinator does not answer it stays as it is.
   */
  review(): Promise<boolean>;
  /** Reviews until the signal aborts: each second while a worker is away, else each ten seconds. */
  run(signal: AbortSignal): Promise<void>;
}

/** A history that is not distributed. */
export const noWorkers: Pick<WorkerWatch, 'isDistributed' | 'isAway' | 'review'> = {
  isDistributed: false,
  isAway: false,
  review: async () => false,
};

const everyMs = { away: 1_000, else: 10_000 };

/** Creates the watch, which knows nothing before its first review. */
export function createWorkerWatch({
  kysely,
  clock,
  log,
}: {
  readonly kysely: Kysely<Tables>;
  readonly clock: Clock;
  readonly log: Logger;
}): WorkerWatch {
  let distributed = false;
  let isAway = false;
  let running: Promise<boolean> | undefined;

  const ask = async () => {
    try {
      distributed = await isDistributed(kysely);
      const states = distributed ? await workerStates(kysely) : [];
      const now = states.filter(({ isUp }) => !isUp).map(({ worker }) => worker);
      if (now.length > 0 && !isAway)
        log.warn(
          { workers: now },
          'workers of the history are away; new results are held on the coordinator',
        );
      if (now.length === 0 && isAway) log.info('all workers of the history are back');
      isAway = now.length > 0;
    } catch (error) {
      log.debug({ error: messageOf(error) }, 'the workers of the history cannot be reviewed');
    }
    return isAway;
  };
  const review = () => {
    running ??= ask().finally(() => {
      running = undefined;
    });
    return running;
  };

  return {
    get isDistributed() {
      return distributed;
    },
    get isAway() {
      return isAway;
    },
    review,
    async run(signal) {
      while (!signal.aborted) {
        await review();
        await clock.sleep(isAway ? everyMs.away : everyMs.else, signal).catch(() => {});
      }
    },
  };
}
