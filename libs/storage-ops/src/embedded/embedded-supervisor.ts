import path from 'node:path';
import { type Backoff, backoffMs, type Clock, type Logger, limitLogFile, messageOf } from '@vantage/kernel';
import { type Embedded, startEmbedded } from './embedded.ts';

/** An embedded PostgreSQL that is restarted when it dies. */
export interface SupervisedEmbedded {
  readonly url: string;
  /** Restarts PostgreSQL whenever it died, until the signal aborts. */
  run(ending: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

const everyMs = 500;
const backoff: Backoff = { baseMs: 500, capMs: 10_000 };

/**
 * Starts the embedded PostgreSQL. When it dies (kill -9, out of memory), `run` restarts it within a second under the
 * same URL.
 */
export async function superviseEmbedded(deps: {
  readonly dir: string;
  readonly clock: Clock;
  readonly log: Logger;
}): Promise<SupervisedEmbedded> {
  const { dir, clock, log } = deps;
  const begin = () => startEmbedded({ dir, log });
  let current: Embedded = await begin();
  log.info({ pid: current.pid, adopted: current.adopted }, 'the embedded database is up');
  return {
    url: current.url,
    async run(ending) {
      let failures = 0;
      let loggedProblem = '';
      const limit = createLogLimit(path.join(dir, 'postgres.log'), log);
      while (!ending.aborted) {
        await clock
          .sleep(failures === 0 ? everyMs : everyMs + backoffMs(failures, backoff, Math.random), ending)
          .catch(() => {});
        await limit();
        // In an unknown state (no file descriptors left) PostgreSQL may be running, so no second one is started.
        if (ending.aborted || current.state() !== 'dead') continue;
        if (failures === 0) log.error({ pid: current.pid }, 'the embedded database died; starting it again');
        try {
          current = await begin();
          log.info({ pid: current.pid }, 'the embedded database is up again');
          failures = 0;
          loggedProblem = '';
        } catch (error) {
          failures += 1;
          // Logs the same problem once, not at every attempt. Process numbers and times in it differ.
          const problem = messageOf(error).replace(/\d+/g, '#');
          if (problem !== loggedProblem)
            log.error({ error: messageOf(error) }, 'the embedded database cannot be started; trying again');
          loggedProblem = problem;
        }
      }
    },
    stop: () => current.stop(),
  };
}

/** Rotates the log of PostgreSQL when it is too long. Logs the same failure once. */
function createLogLimit(file: string, log: Logger): () => Promise<void> {
  let loggedProblem = '';
  return async () => {
    try {
      await limitLogFile(file);
      loggedProblem = '';
    } catch (error) {
      const problem = messageOf(error);
      if (problem !== loggedProblem)
        log.warn({ file, error: problem }, 'the log of the embedded database cannot be rotated');
      loggedProblem = problem;
    }
  };
}
