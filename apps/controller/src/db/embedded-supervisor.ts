import path from 'node:path';
import { type Backoff, backoffMs, type Clock, type Logger, limitLogFile, messageOf } from '@vantage/kernel';
import { type Embedded, startEmbedded } from './embedded.ts';

/** An embedded PostgreSQL that is started again when it dies. */
export interface SupervisedEmbedded {
  readonly url: string;
  /** Looks after it until the signal aborts. */
  run(ending: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

const everyMs = 500;
const backoff: Backoff = { baseMs: 500, capMs: 10_000 };

/** Starts the embedded PostgreSQL; a later death (kill -9, out of memory) is noticed within a second and mended, with the same URL. */
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
      let said = '';
      const limit = createLogLimit(path.join(dir, 'postgres.log'), log);
      while (!ending.aborted) {
        await clock
          .sleep(failures === 0 ? everyMs : everyMs + backoffMs(failures, backoff, Math.random), ending)
          .catch(() => {});
        await limit();
        // Where nobody can tell (no file descriptors left), nothing is started beside what may run.
        if (ending.aborted || current.state() !== 'dead') continue;
        if (failures === 0) log.error({ pid: current.pid }, 'the embedded database died; starting it again');
        try {
          current = await begin();
          log.info({ pid: current.pid }, 'the embedded database is up again');
          failures = 0;
          said = '';
        } catch (error) {
          failures += 1;
          // The same trouble is told once, not at every attempt (process numbers and times differ).
          const problem = messageOf(error).replace(/\d+/g, '#');
          if (problem !== said)
            log.error({ error: messageOf(error) }, 'the embedded database cannot be started; trying again');
          said = problem;
        }
      }
    },
    stop: () => current.stop(),
  };
}

/** Puts the log of PostgreSQL aside when it is too long; trouble with that is told once. */
function createLogLimit(file: string, log: Logger): () => Promise<void> {
  let said = '';
  return async () => {
    try {
      await limitLogFile(file);
      said = '';
    } catch (error) {
      const problem = messageOf(error);
      if (problem !== said) log.warn({ file, error: problem }, 'the log of the database cannot be put aside');
      said = problem;
    }
  };
}
