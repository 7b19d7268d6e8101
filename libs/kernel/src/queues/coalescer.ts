import type { Clock } from '../clock.ts';
import { declareState } from '../tracked-state.ts';

/** Work that several callers share. */
interface Coalescer<T> {
  /**
   * Runs `work`, or shares a run of other callers with this key. A run that has already begun is never shared, because
   * it may have missed a change that this caller made before the call. Callers that arrive while work runs share the
   * next run, which begins when the present one ends. Rejects as the work does.
   */
  run(key: string, work: () => Promise<T>): Promise<T>;
}

interface CoalescedRun<T> {
  readonly beganMs: number;
  readonly result: Promise<T>;
  /** The run that begins when this one ends. */
  next: Promise<T> | undefined;
}

/** A run that takes longer is not waited for, because it may never end. */
const maxWaitMs = 1_000;

const tracked = declareState({
  name: 'shared_work',
  entries: { each: 'running request' },
  entryBytes: 500,
  filledBy: 'changes',
  atBound: 'work that ended leaves',
});

/** Coalesces calls by key: at most one run for each key at a time, unless it takes long. Idle keys cost no memory. */
export function createCoalescer<T>({ clock }: { readonly clock: Pick<Clock, 'monoMs'> }): Coalescer<T> {
  const running = tracked(new Map<string, CoalescedRun<T>>());

  const begin = (key: string, work: () => Promise<T>): Promise<T> => {
    const run: CoalescedRun<T> = { beganMs: clock.monoMs(), result: work(), next: undefined };
    running.set(key, run);
    const end = () => {
      if (running.get(key) === run && run.next === undefined) running.delete(key);
    };
    run.result.then(end, end);
    return run.result;
  };

  return {
    async run(key, work) {
      const now = running.get(key);
      if (now === undefined || clock.monoMs() - now.beganMs > maxWaitMs) return begin(key, work);
      const beginNext = () => begin(key, work);
      now.next ??= now.result.then(beginNext, beginNext);
      return now.next;
    },
  };
}
