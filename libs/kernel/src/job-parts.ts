import { messageOf } from './fault.ts';

/** The parts of a periodic job. A part that fails does not stop the others. */
export interface JobParts {
  /** Runs a part. Never rejects; false: it failed. Logs the first failure in a row, and the recovery. */
  attempt(name: string, work: () => Promise<unknown>): Promise<boolean>;
}

/** `failed` and `recovered` are the lines of the log; its field `job` is the name of the part. */
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
