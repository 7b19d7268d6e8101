import { declareState } from '@vantage/kernel';

/** A binary heap by time. It has each key at most once. Keys with equal times keep their order of arrival. */
export interface DueQueue<K> {
  /** Puts the key at `atUs`, or moves it there. */
  set(key: K, atUs: number): void;
  delete(key: K): void;
  /** The earliest key. It stays in the queue. */
  first(): { readonly key: K; readonly atUs: number } | undefined;
  readonly size: number;
}

interface QueueEntry<K> {
  readonly key: K;
  readonly atUs: number;
  readonly order: number;
}

const trackedQueue = declareState({
  name: 'due_devices',
  entries: { each: 'device' },
  entryBytes: 700,
  filledBy: 'the controller',
  atBound: 'the limit of devices of an account',
});

export function createDueQueue<K>(): DueQueue<K> {
  const heap: QueueEntry<K>[] = [];
  const current = trackedQueue(new Map<K, QueueEntry<K>>());
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
      let first = i;
      if (isBefore(left, first)) first = left;
      if (isBefore(right, first)) first = right;
      if (first === i) return;
      swap(i, first);
      i = first;
    }
  };
  const dropFirst = () => {
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    heap[0] = last;
    sink(0);
  };
  const isStale = (entry: QueueEntry<K>) => current.get(entry.key) !== entry;
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
