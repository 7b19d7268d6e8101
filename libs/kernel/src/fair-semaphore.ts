import { declareState } from './tracked-state.ts';

/** The number of pieces of work that run and wait at the same time. */
interface FairPlaces {
  /** In all, and of one owner. */
  readonly running: number;
  readonly perOwner: { readonly running: number; readonly waiting: number };
  /** Waiting pieces of all owners; no limit unless given. */
  readonly waiting?: number;
}

/** Owners that may be one: networks of callers that belong to one greater network. */
interface FairGroups<Owner> {
  /** The name of the owner's group; each owner is one of its own unless given. */
  readonly groupOf?: (owner: Owner) => string;
}

/**
 * Slots that owners (accounts, networks of callers) share. A free place goes to the group and owner that have the
 * fewest; of several, to the one whose last place is longest ago. So a newcomer comes before owners that have places,
 * however many pieces they have waiting. When too many pieces wait in all, the latest piece of the group with the most
 * waiting pieces is refused.
 */
interface FairSemaphore<Owner> {
  /**
   * Resolves when the owner gets a place. The result releases the place, and may be called again. Undefined at once
   * when too much waits already. Rejects with the signal's reason when the signal aborts before.
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

interface Group {
  running: number;
  waiting: number;
  /** The number of the turn in which it last got a place. */
  turn: number;
}

interface Owned extends Group {
  readonly group: Group;
  /** In the order of arrival. */
  readonly queue: Set<Waiting>;
}

interface Waiting {
  readonly begin: () => void;
  readonly refuse: () => void;
}

/** Creates the semaphore with all places free. An owner is remembered only while its work runs or waits. */
export function createFairSemaphore<Owner extends number | string>({
  running: maxRunning,
  perOwner,
  waiting: maxWaiting = Number.POSITIVE_INFINITY,
  groupOf = String,
}: FairPlaces & FairGroups<Owner>): FairSemaphore<Owner> {
  const owners = tracked(new Map<Owner, Owned>());
  const groups = tracked(new Map<string, Group>());
  const all: Group = { running: 0, waiting: 0, turn: 0 };

  const ownedOf = (owner: Owner): Owned => {
    const known = owners.get(owner);
    if (known !== undefined) return known;
    const name = groupOf(owner);
    // Before the owner that was served last and behind all others, else owners that return each time would be first.
    const turn = all.turn - 0.5;
    const group = groups.get(name) ?? { running: 0, waiting: 0, turn };
    groups.set(name, group);
    const owned = { running: 0, waiting: 0, turn, group, queue: new Set<Waiting>() };
    owners.set(owner, owned);
    return owned;
  };
  const count = (owned: Owned, change: { readonly running?: number; readonly waiting?: number }) => {
    for (const one of [owned, owned.group, all]) {
      one.running += change.running ?? 0;
      one.waiting += change.waiting ?? 0;
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
    const chosen = leastOf(waiting, (one, other) => compare(one.group, other.group) || compare(one, other));
    const [first] = chosen?.queue ?? [];
    if (chosen === undefined || first === undefined) return undefined;
    chosen.queue.delete(first);
    count(chosen, { waiting: -1 });
    take(chosen);
    return first.begin;
  };
  const releaseOf = (owner: Owner, owned: Owned) => {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      count(owned, { running: -1 });
      forget(owner, owned);
      // A piece that waited for its owner's limit and one that waited for any place may begin now.
      for (let begin = next(); begin !== undefined; begin = next()) begin();
    };
  };
  /** Resolves with true when the owner gets a place, and with false when the piece is refused. */
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
  /** Refuses a waiting piece of another group for one of this group; false: no group has more waiting pieces. */
  const makeRoom = ({ group }: Owned): boolean => {
    if (all.waiting < maxWaiting) return true;
    const most = leastOf(
      [...owners.values()].filter(({ waiting }) => waiting > 0),
      (one, other) => other.group.waiting - one.group.waiting || other.waiting - one.waiting,
    );
    if (most === undefined || most.group.waiting <= group.waiting + 1) return false;
    [...most.queue].at(-1)?.refuse();
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

/** The order in which groups and owners get places. */
function compare(one: Group, other: Group): number {
  return one.running - other.running || one.turn - other.turn;
}

/** The first of the least ones. */
function leastOf<T>(all: readonly T[], order: (one: T, other: T) => number): T | undefined {
  return all.reduce<T | undefined>(
    (least, one) => (least === undefined || order(one, least) < 0 ? one : least),
    undefined,
  );
}
