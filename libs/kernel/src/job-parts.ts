import { messageOf } from './fault.ts';

/** The parts of a periodic job. A part that fails does not stop the others. */
export interface JobParts {
  /** Runs a part. Never rejects; false: it failed. The first failure in a row is logged, and the recovery. */
  attempt(name: string, work: () => Promise<unknown>): Promise<boolean>;
}

/**
 * Creates the parts of one job. `failed` and `recovered` are the lines of the log; the part's name stands beside them
 * as `job`.
 */
export function createJobParts({
  log,
  failed,
  recovered,
}: {
  readonly log: { warn(data: object, text: string): void; info(data: object, text: string): void };
  readonly failed: string;
  readonly recovered: string;
}): JobParts {
  const failing = new Set<string>();
  return {
    async attempt(name, work) {
      try {
        await work();
        if (failing.delete(name)) log.info({ job: name }, recovered);
        return true;
      } catch (error) {
        if (!failing.has(name)) log.warn({ job: name, error: messageOf(error) }, failed);
        failing.add(name);
        return false;
      }
    },
  };
}
