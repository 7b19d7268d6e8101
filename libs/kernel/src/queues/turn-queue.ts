import { declareState } from '../tracked-state.ts';

/** A TLS handshake costs more than a millisecond, and other work waits meanwhile. */
const maxPerIteration = 4;

/**
 * Tasks that wait to begin (TLS handshakes, pipelined requests, answers). At most a few begin in one iteration of the
 * event loop; owners take turns.
 */
export interface TurnQueue {
  /**
   * Runs `begin` in a later iteration, and then reads the weight of the task. The caller must bound the number of
   * waiting tasks of an owner.
   */
  add(owner: string, begin: () => void, weight?: () => number): void;
}

const tracked = declareState({
  name: 'owners_with_turns',
  entries: 4_096,
  entryBytes: 500,
  filledBy: 'keys, strangers',
  atBound: 'the limits of connections and of requests of a key',
});

interface Task {
  readonly begin: () => void;
  readonly weight: () => number;
}

const one = () => 1;

/**
 * `later` runs a function after the pending work of the event loop, as `setImmediate` does. In an iteration tasks begin
 * until their weights reach `perIteration`.
 */
export function createTurnQueue({
  perIteration = maxPerIteration,
  later,
}: {
  readonly perIteration?: number;
  readonly later: (run: () => void) => void;
}): TurnQueue {
  const waiting = tracked(new Map<string, Task[]>());

  const takeNext = (): Task | undefined => {
    const next = waiting.entries().next();
    if (next.done) return undefined;
    const [owner, work] = next.value;
    const task = work.shift();
    // Inserted again, the owner is behind all others.
    waiting.delete(owner);
    if (work.length > 0) waiting.set(owner, work);
    return task;
  };
  const iterate = () => {
    for (let begun = 0; begun < perIteration && waiting.size > 0; ) {
      const task = takeNext();
      task?.begin();
      begun += task?.weight() ?? 1;
    }
    if (waiting.size > 0) later(iterate);
  };
  return {
    add(owner, begin, weight = one) {
      if (waiting.size === 0) later(iterate);
      const tasks = waiting.get(owner);
      if (tasks === undefined) waiting.set(owner, [{ begin, weight }]);
      else tasks.push({ begin, weight });
    },
  };
}
