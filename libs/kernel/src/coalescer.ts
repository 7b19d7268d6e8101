import type { Clock } from './clock.ts';
import { declareState } from './tracked-state.ts';

/** Work that several callers share. */
interface Coalescer<T> {
  /**
   * Runs `work`, or shares that of others under this key. Work that runs already is never shared, because it may not
   * know what this caller did before the call: all who call meanwhile share the next one, which begins when it ends.
   * Rejects as the work does.
   */
  run(key: string, work: () => Promise<T>): Promise<T>;
}

interface Running<T> {
  readonly beganMs: number;
  readonly result: Promise<T>;
  /** Begins when this one ends. */
  next: Promise<T> | undefined;
}

/** Nobody waits for work that takes longer, because it may never end. */
const patienceMs = 1_000;

const tracked = declareState({
  name: 'shared_work',
  entries: { each: 'running request' },
  entryBytes: 500,
  filledBy: 'changes',
  atBound: 'work that ended leaves',
});

/**
 * Creates it; under each key one piece of work runs at a moment, unless it takes long. It remembers a key only while
 * something of it is under way.
 */
export function createCoalescer<T>({ clock }: { readonly clock: Pick<Clock, 'monoMs'> }): Coalescer<T> {
  const running = tracked(new Map<string, Running<T>>());

  const begin = (key: string, work: () => Promise<T>): Promise<T> => {
    const own: Running<T> = { beganMs: clock.monoMs(), result: work(), next: undefined };
    running.set(key, own);
    const end = () => {
      if (running.get(key) === own && own.next === undefined) running.delete(key);
    };
    own.result.then(end, end);
    return own.result;
  };

  return {
    async run(key, work) {
      const now = running.get(key);
      if (now === undefined || clock.monoMs() - now.beganMs > patienceMs) return begin(key, work);
      const beginNext = () => begin(key, work);
      now.next ??= now.result.then(beginNext, beginNext);
      return now.next;
    },
  };
}
