import type { Clock } from '@vantage/kernel';

/** The time limit of a witness, from the start of its check. */
const answerWithinMs = 10_000;
const witnessCount = 3;

/**
 * Checks of devices that were good, made to find out whether the uplink works. A witness fails when its check does, or
 * has not ended ten seconds after it began: a check that the agent could not start yet says nothing.
 */
interface Witnesses {
  /** Begins a round with the first three of these that are assigned; `onGone` gets the others before them. */
  begin(candidates: readonly number[], onGone: (deviceNo: number) => void): void;
  /** Nothing answered in a check of this device. */
  failed(deviceNo: number): void;
  /** Ends the round without a verdict. */
  end(): void;
  /** Devices that are no longer assigned are waited for no more. */
  prune(isAssigned: (deviceNo: number) => boolean): void;
}

/**
 * Creates the witnesses. `runNow` checks a device before all others, calls `onStart` when the check starts, and returns
 * whether it is assigned. `onAllFailed` is called once a round, also where there is no witness.
 */
export function createWitnesses(deps: {
  readonly clock: Pick<Clock, 'timer'>;
  readonly runNow: (deviceNo: number, onStart: () => void) => boolean;
  readonly onAllFailed: () => void;
}): Witnesses {
  const { clock, runNow, onAllFailed } = deps;
  /** Witnesses that have not answered yet, each with the timer of its check; undefined: the check has not started. */
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
        if (awaited.size === witnessCount) break;
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
