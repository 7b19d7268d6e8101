import { declareState } from './tracked-state.ts';

/** How many pieces of work run and wait at one moment. */
export interface FairPlaces {
  /** In all, and of one owner. */
  readonly running: number;
  readonly perOwner: { readonly running: number; readonly waiting: number };
  /** Those of all owners that wait; no limit unless given. */
  readonly waiting?: number;
}

/**
 * Places that owners (accounts, networks of callers) share. A free place goes to the owner that has the fewest; of
 * several, to the one that got none for longest. So a newcomer is the next one, however much the others have waiting.
 */
export interface FairSemaphore<Owner> {
  /**
   * Resolves when the owner has a place; the result gives it back, and may be called again. Undefined at once when too
   * much waits already. Rejects with the signal's reason when it aborts before.
   */
  enter(owner: Owner, signal?: AbortSignal): Promise<(() => void) | undefined>;
  /**
   * Runs `work` in a place of the owner; undefined at once when too much waits already. The place is free again when
   * the work has ended and `until`, where it is given, has aborted.
   */
  run<T>(
    owner: Owner,
    work: () => Promise<T>,
    signal?: AbortSignal,
    until?: AbortSignal,
  ): Promise<{ readonly value: T } | undefined>;
  /** Running and waiting. */
  readonly size: number;
}

const tracked = declareState({
  name: 'owners_with_places',
  entries: { each: 'running request' },
  entryBytes: 500,
  filledBy: 'accounts, strangers',
  atBound: 'an owner without work leaves',
});

interface Owned {
  running: number;
  /** In the order of arrival. */
  readonly waiting: Set<() => void>;
}

/** Creates the places, all of them free. An owner is remembered only while something of it runs or waits. */
export function createFairSemaphore<Owner extends number | string>(places: FairPlaces): FairSemaphore<Owner> {
  // A Map keeps the order of insertion: the first owner is the one whose turn is next.
  const owners = tracked(new Map<Owner, Owned>());
  const { perOwner, waiting: mostWaiting = Number.POSITIVE_INFINITY } = places;
  let running = 0;
  let waiting = 0;

  const forget = (owner: Owner, owned: Owned) => {
    if (owned.running === 0 && owned.waiting.size === 0) owners.delete(owner);
  };
  const take = (owner: Owner, owned: Owned) => {
    running += 1;
    owned.running += 1;
    owners.delete(owner);
    owners.set(owner, owned);
  };
  const next = (): (() => void) | undefined => {
    if (running >= places.running) return undefined;
    let [least, chosen]: [number, [Owner, Owned] | undefined] = [perOwner.running, undefined];
    for (const entry of owners) {
      const [, owned] = entry;
      if (owned.waiting.size > 0 && owned.running < least) [least, chosen] = [owned.running, entry];
    }
    if (chosen === undefined) return undefined;
    const [owner, owned] = chosen;
    const [first] = owned.waiting;
    if (first === undefined) return undefined;
    owned.waiting.delete(first);
    waiting -= 1;
    take(owner, owned);
    return first;
  };
  const releaseOf = (owner: Owner, owned: Owned) => {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      running -= 1;
      owned.running -= 1;
      forget(owner, owned);
      // One that was held back by its owner's limit and one that waited for any place may begin now.
      for (let begin = next(); begin !== undefined; begin = next()) begin();
    };
  };
  const turn = (owner: Owner, owned: Owned, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const go = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        if (owned.waiting.delete(go)) waiting -= 1;
        forget(owner, owned);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', leave, { once: true });
      owned.waiting.add(go);
      waiting += 1;
    });

  const enter: FairSemaphore<Owner>['enter'] = async (owner, signal) => {
    signal?.throwIfAborted();
    const owned = owners.get(owner) ?? { running: 0, waiting: new Set() };
    owners.set(owner, owned);
    if (running < places.running && owned.running < perOwner.running) take(owner, owned);
    else if (owned.waiting.size < perOwner.waiting && waiting < mostWaiting) await turn(owner, owned, signal);
    else {
      forget(owner, owned);
      return undefined;
    }
    return releaseOf(owner, owned);
  };

  return {
    enter,
    async run(owner, work, signal, until) {
      const release = await enter(owner, signal);
      if (release === undefined) return undefined;
      try {
        return { value: await work() };
      } finally {
        if (until === undefined || until.aborted) release();
        else until.addEventListener('abort', release, { once: true });
      }
    },
    get size() {
      return running + waiting;
    },
  };
}
