/** State of a program that outlives the call in which it began, and its bound. Each is a row of docs/memory.md. */
export interface StateBound {
  /** The label of its series: `known_keys`. */
  readonly name: string;
  /** At most so many entries, or one for each thing of a kind, whose number has a bound of its own: `device`. */
  readonly entries: number | { readonly each: string };
  /** The greatest size of an entry in memory, with its key and its part of the collection; bytes. */
  readonly entryBytes: number;
  readonly filledBy: string;
  /** The effect of the bound. */
  readonly atBound: string;
}

/** A collection; `bytes`, where it has it, is its own count. */
interface Counted {
  readonly size?: number;
  readonly length?: number;
  readonly bytes?: number;
}

/** The present size of a state, over all of its collections. */
export interface StateSize {
  readonly name: string;
  readonly entries: number;
  readonly bytes: number;
  /** Absent where the bound is one entry for each thing of a kind. */
  readonly boundBytes: number | undefined;
}

interface Declared {
  readonly bound: StateBound;
  readonly collections: Set<WeakRef<Counted>>;
}

const declared = new Map<string, Declared>();

/**
 * Declares a state of the program; the result registers its collections, each of which has the bound for itself. A
 * collection counts until nothing refers to it. Call it once, where the module begins.
 */
export function declareState(bound: StateBound): <C extends Counted>(collection: C) => C {
  const own: Declared = { bound, collections: new Set() };
  declared.set(bound.name, own);
  return (collection) => {
    own.collections.add(new WeakRef(collection));
    if (own.collections.size > mostUnpruned) prune(own);
    return collection;
  };
}

/** The bounds that the loaded modules declare, by name. */
export function declaredStates(): readonly StateBound[] {
  return [...declared.values()].map(({ bound }) => bound).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The sizes of the states that have collections now, by name. */
export function stateSizes(): readonly StateSize[] {
  return [...declared.values()].flatMap((own) => {
    prune(own);
    const { name, entries: most, entryBytes } = own.bound;
    if (own.collections.size === 0) return [];
    const counts = [...own.collections]
      .map((ref) => ref.deref())
      .map((one) => one?.bytes ?? one?.size ?? one?.length ?? 0);
    const entries = counts.reduce((sum, count) => sum + count, 0);
    const boundBytes = typeof most === 'number' ? most * entryBytes * counts.length : undefined;
    return [{ name, entries, bytes: entries * entryBytes, boundBytes }];
  });
}

/** States of streams and connections have a collection for each; those that ended leave from time to time. */
const mostUnpruned = 10_000;

function prune({ collections }: Declared): void {
  for (const ref of collections) if (ref.deref() === undefined) collections.delete(ref);
}
