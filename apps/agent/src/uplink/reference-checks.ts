import type { Clock } from '@vantage/kernel';

/** The time limit of a reference, from the start of its check. */
const answerWithinMs = 10_000;

const maxReferences = 3;

/**
 * Checks of devices whose last check was good. They show whether the uplink works. A reference fails when its check
 * fails or takes more than ten seconds. A check that the agent could not start yet proves nothing.
 */
interface ReferenceChecks {
  /**
   * Begins a round with the first three candidates that are assigned; `onGone` gets the unassigned ones before them.
   */
  begin(candidates: readonly number[], onGone: (deviceNo: number) => void): void;
  /** A check of this device got no answer. */
  failed(deviceNo: number): void;
  /** Ends the round without a verdict. */
  end(): void;
  /** No longer waits for devices that are not assigned. */
  prune(isAssigned: (deviceNo: number) => boolean): void;
}

/**
 * `runNow` checks a device before all others, calls `onStart` when the check starts, and returns whether the device is
 * assigned. `onAllFailed` is called once per round, also if there is no reference.
 */
export function createReferenceChecks(deps: {
  readonly clock: Pick<Clock, 'timer'>;
  readonly runNow: (deviceNo: number, onStart: () => void) => boolean;
  readonly onAllFailed: () => void;
}): ReferenceChecks {
  const { clock, runNow, onAllFailed } = deps;
  /** References that have not answered yet, each with the timer of its check; undefined: the check has not started. */
  const awaited = new Map<number, Disposable | undefined>();
  const remove = (deviceNo: number) => {
    awaited.get(deviceNo)?.[Symbol.dispose]();
    return awaited.delete(deviceNo);
  };
  const failed = (deviceNo: number) => {
    if (remove(deviceNo) && awaited.size === 0) onAllFailed();
  };
  const started = (deviceNo: number) => {
    if (!awaited.has(deviceNo)) return;
    awaited.get(deviceNo)?.[Symbol.dispose]();
    awaited.set(
      deviceNo,
      clock.timer(answerWithinMs, () => failed(deviceNo)),
    );
  };
  return {
    begin(candidates, onGone) {
      for (const deviceNo of candidates) {
        if (awaited.size === maxReferences) break;
        awaited.set(deviceNo, undefined);
        if (runNow(deviceNo, () => started(deviceNo))) continue;
        remove(deviceNo);
        onGone(deviceNo);
      }
      if (awaited.size === 0) onAllFailed();
    },
    failed,
    end() {
      for (const deviceNo of [...awaited.keys()]) remove(deviceNo);
    },
    prune(isAssigned) {
      for (const deviceNo of [...awaited.keys()]) if (!isAssigned(deviceNo)) failed(deviceNo);
    },
  };
}
