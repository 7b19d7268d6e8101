import { declareState } from '../tracked-state.ts';

/** The maximum of tasks that run and that wait at the same time. */
interface FairSemaphoreLimits {
  /** Of all owners. */
  readonly running: number;
  readonly perOwner: { readonly running: number; readonly waiting: number };
  /** Of all owners; default: no limit. */
  readonly waiting?: number;
}

interface FairGroups<Owner> {
  /**
   * The name of the owner's group. Owners that may be the same client share a group: networks of callers that belong to
   * one greater network. Default: each owner is a group.
   */
  readonly groupOf?: (owner: Owner) => string;
}

/**
 * Slots that owners (accounts, networks of callers) share. A free slot goes to the group and owner with the fewest
 * running tasks; of several, to the one that was served longest ago. So a newcomer is served before owners that have
 * slots, however many tasks they have waiting. When too many tasks wait in all, the latest task of the group with the
 * most waiting tasks is rejected.
 */
interface FairSemaphore<Owner> {
  /**
   * Resolves when the owner gets a slot, with a function that releases it (and may be called again). Undefined at once
   * when too many tasks wait already. Rejects with the signal's reason when the signal aborts first.
   */
  enter(owner: Owner, signal?: AbortSignal): Promise<(() => void) | undefined>;
  /**
   * Runs `work` in a slot of the owner; undefined at once when too many tasks wait already. The slot is released when
   * the work has ended and `until`, if given, has aborted.
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

interface OwnerGroup {
  running: number;
  waiting: number;
  /** The number of the turn in which it last got a slot. */
  turn: number;
}

interface Owned extends OwnerGroup {
  readonly group: OwnerGroup;
  /** In order of arrival. */
  readonly queue: Set<WaitingTask>;
}

interface WaitingTask {
  readonly begin: () => void;
  readonly refuse: () => void;
}

/** An owner is remembered only while its work runs or waits. */
export function createFairSemaphore<Owner extends number | string>({
  running: maxRunning,
  perOwner,
  waiting: maxWaiting = Number.POSITIVE_INFINITY,
  groupOf = String,
}: FairSemaphoreLimits & FairGroups<Owner>): FairSemaphore<Owner> {
  const owners = tracked(new Map<Owner, Owned>());
  const groups = tracked(new Map<string, OwnerGroup>());
  const all: OwnerGroup = { running: 0, waiting: 0, turn: 0 };

  const ownedOf = (owner: Owner): Owned => {
    const known = owners.get(owner);
    if (known !== undefined) return known;
    const name = groupOf(owner);
    // Just before the owner that was served last: owners that leave and return must not always be first.
    const turn = all.turn - 0.5;
    const group = groups.get(name) ?? { running: 0, waiting: 0, turn };
    groups.set(name, group);
    const owned = { running: 0, waiting: 0, turn, group, queue: new Set<WaitingTask>() };
    owners.set(owner, owned);
    return owned;
  };
  const count = (owned: Owned, change: { readonly running?: number; readonly waiting?: number }) => {
    for (const counts of [owned, owned.group, all]) {
      counts.running += change.running ?? 0;
      counts.waiting += change.waiting ?? 0;
    }
  };
  const forget = (owner: Owner, { running, waiting, group }: Owned) => {
    if (running + waiting > 0) return;
    owners.delete(owner);
    if (group.running + group.waiting === 0) groups.delete(groupOf(owner));
  };
  const take = (owned: Owned) => {
    count(owned, { running: 1 });
    all.turn += 1;
    owned.turn = all.turn;
    owned.group.turn = all.turn;
  };
  const next = (): (() => void) | undefined => {
    if (all.running >= maxRunning) return undefined;
    const waiting = [...owners.values()].filter(
      (owned) => owned.waiting > 0 && owned.running < perOwner.running,
    );
    const chosen = minimumOf(waiting, (a, b) => compare(a.group, b.group) || compare(a, b));
    const [first] = chosen?.queue ?? [];
    if (chosen === undefined || first === undefined) return undefined;
    chosen.queue.delete(first);
    count(chosen, { waiting: -1 });
    take(chosen);
    return first.begin;
  };
  const releaseOf = (owner: Owner, owned: Owned) => {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      count(owned, { running: -1 });
      forget(owner, owned);
      // Two tasks may begin now: one that waited for its owner's limit, and one that waited for any slot.
      for (let begin = next(); begin !== undefined; begin = next()) begin();
    };
  };
  /** Resolves with true when the owner gets a slot, and with false when the task is rejected. */
  const turn = (owned: Owned, signal: AbortSignal | undefined): Promise<boolean> =>
    new Promise((resolve, reject) => {
      const end = () => {
        signal?.removeEventListener('abort', leave);
        if (owned.queue.delete(waiting)) count(owned, { waiting: -1 });
      };
      const leave = () => {
        end();
        reject(signal?.reason);
      };
      const waiting = {
        begin: () => {
          end();
          resolve(true);
        },
        refuse: () => {
          end();
          resolve(false);
        },
      };
      signal?.addEventListener('abort', leave, { once: true });
      owned.queue.add(waiting);
      count(owned, { waiting: 1 });
    });
  /** Rejects a waiting task of another group in favour of this one; false: no group has more waiting tasks. */
  const makeRoom = ({ group }: Owned): boolean => {
    if (all.waiting < maxWaiting) return true;
    const busiest = minimumOf(
      [...owners.values()].filter(({ waiting }) => waiting > 0),
      (a, b) => b.group.waiting - a.group.waiting || b.waiting - a.waiting,
    );
    if (busiest === undefined || busiest.group.waiting <= group.waiting + 1) return false;
    [...busiest.queue].at(-1)?.refuse();
    return true;
  };

  const enter: FairSemaphore<Owner>['enter'] = async (owner, signal) => {
    signal?.throwIfAborted();
    const owned = ownedOf(owner);
    try {
      if (all.running < maxRunning && owned.running < perOwner.running) take(owned);
      else if (owned.waiting >= perOwner.waiting || !makeRoom(owned)) return undefined;
      else if (!(await turn(owned, signal))) return undefined;
      return releaseOf(owner, owned);
    } finally {
      forget(owner, owned);
    }
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
      return all.running + all.waiting;
    },
  };
}

/** The order in which groups and owners get slots. */
function compare(a: OwnerGroup, b: OwnerGroup): number {
  return a.running - b.running || a.turn - b.turn;
}

/** The first of equal ones. */
function minimumOf<T>(items: readonly T[], order: (a: T, b: T) => number): T | undefined {
  return items.reduce<T | undefined>(
    (minimum, item) => (minimum === undefined || order(item, minimum) < 0 ? item : minimum),
    undefined,
  );
}
