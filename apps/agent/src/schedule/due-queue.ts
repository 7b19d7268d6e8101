import { declareState } from '@vantage/kernel';
/** A binary heap by time. Each key is in it at most once; keys of equal time keep the order in which they came. */
export interface DueQueue<K> {
  /** Puts the key at `atUs`, or moves it there. */
  set(key: K, atUs: number): void;
  delete(key: K): void;
  /** The earliest, left where it is. */
  first(): { readonly key: K; readonly atUs: number } | undefined;
  readonly size: number;
}

interface Entry<K> {
  readonly key: K;
  readonly atUs: number;
  readonly order: number;
}

const tracked = declareState({
  name: 'due_devices',
  entries: { each: 'device' },
  entryBytes: 700,
  filledBy: 'the controller',
  atBound: 'the limit of devices of an account',
});

/** Creates an empty queue. */
export function createDueQueue<K>(): DueQueue<K> {
  const heap: Entry<K>[] = [];
  const current = tracked(new Map<K, Entry<K>>());
  let order = 0;
  const swap = (i: number, j: number) => {
    const a = heap[i];
    const b = heap[j];
    if (a === undefined || b === undefined) return;
    heap[i] = b;
    heap[j] = a;
  };
  const isBefore = (i: number, j: number) => {
    const a = heap[i];
    const b = heap[j];
    if (a === undefined || b === undefined) return false;
    return a.atUs < b.atUs || (a.atUs === b.atUs && a.order < b.order);
  };
  const rise = (start: number) => {
    for (let i = start; i > 0; ) {
      const parent = (i - 1) >> 1;
      if (!isBefore(i, parent)) return;
      swap(i, parent);
      i = parent;
    }
  };
  const sink = (start: number) => {
    for (let i = start; ; ) {
      const left = 2 * i + 1;
      const right = left + 1;
      let least = i;
      if (isBefore(left, least)) least = left;
      if (isBefore(right, least)) least = right;
      if (least === i) return;
      swap(i, least);
      i = least;
    }
  };
  const dropFirst = () => {
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    heap[0] = last;
    sink(0);
  };
  const isStale = (entry: Entry<K>) => current.get(entry.key) !== entry;
  const compact = () => {
    if (heap.length < 64 || heap.length < 4 * current.size) return;
    heap.length = 0;
    for (const entry of [...current.values()].sort((a, b) => a.atUs - b.atUs || a.order - b.order))
      heap.push(entry);
  };
  return {
    set(key, atUs) {
      const entry = { key, atUs, order: order++ };
      current.set(key, entry);
      heap.push(entry);
      rise(heap.length - 1);
      compact();
    },
    delete: (key) => void current.delete(key),
    first() {
      for (let top = heap[0]; top !== undefined; top = heap[0]) {
        if (!isStale(top)) return top;
        dropFirst();
      }
      return undefined;
    },
    get size() {
      return current.size;
    },
  };
}
