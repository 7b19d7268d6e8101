/** A state of the program that outlives a call, and its bound. Each is a row of docs/memory.md. */
export interface StateBound {
  /** The label of its series: `known_keys`. */
  readonly name: string;
  /** The maximum of entries, or one for each thing of a kind that is bounded elsewhere: `device`. */
  readonly entries: number | { readonly each: string };
  /** The maximum size of an entry in memory, with its key and its share of the collection; bytes. */
  readonly entryBytes: number;
  readonly filledBy: string;
  /** The effect of the bound. */
  readonly atBound: string;
}

/** A collection; `bytes` is its own count, if it has one. */
interface Counted {
  readonly size?: number;
  readonly length?: number;
  readonly bytes?: number;
}

/** The present size of a state, the sum of its collections. */
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
 * Declares a state of the program. The result registers a collection; the bound applies to each collection. It counts
 * until it is garbage. Call this once, at the top of the module.
 */
export function declareState(bound: StateBound): <C extends Counted>(collection: C) => C {
  const state: Declared = { bound, collections: new Set() };
  declared.set(bound.name, state);
  return (collection) => {
    state.collections.add(new WeakRef(collection));
    if (state.collections.size > maxUnpruned) prune(state);
    return collection;
  };
}

/** The bounds that the loaded modules declare, by name. */
export function declaredStates(): readonly StateBound[] {
  return [...declared.values()].map(({ bound }) => bound).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The sizes of the states that have collections now, by name. */
export function stateSizes(): readonly StateSize[] {
  return [...declared.values()].flatMap((state) => {
    prune(state);
    const { name, entries: max, entryBytes } = state.bound;
    if (state.collections.size === 0) return [];
    const counts = [...state.collections]
      .map((ref) => ref.deref())
      .map((collection) => collection?.bytes ?? collection?.size ?? collection?.length ?? 0);
    const entries = counts.reduce((sum, count) => sum + count, 0);
    const boundBytes = typeof max === 'number' ? max * entryBytes * counts.length : undefined;
    return [{ name, entries, bytes: entries * entryBytes, boundBytes }];
  });
}

/** Streams and connections have a collection each; the collections of ended ones are removed from time to time. */
const maxUnpruned = 10_000;

function prune({ collections }: Declared): void {
  for (const ref of collections) if (ref.deref() === undefined) collections.delete(ref);
}
