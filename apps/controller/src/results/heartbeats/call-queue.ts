/** Items that wait, by owner. Owners take turns. */
export interface CallQueue<Owner, T> {
  readonly size: number;
  /** false: too many wait, of all owners or of this one. */
  add(owner: Owner, item: T): boolean;
  /** Takes at most `count` items, one of each owner in turn. */
  take(count: number): T[];
}

/** Creates a queue of at most `all` items, `each` of one owner. */
export function createCallQueue<Owner extends number | string, T>({
  all,
  each,
}: {
  readonly all: number;
  readonly each: number;
}): CallQueue<Owner, T> {
  const waiting = new Map<Owner, T[]>();
  let size = 0;
  return {
    get size() {
      return size;
    },
    add(owner, item) {
      const own = waiting.get(owner) ?? [];
      if (size >= all || own.length >= each) return false;
      waiting.set(owner, own);
      own.push(item);
      size += 1;
      return true;
    },
    take(count) {
      const taken: T[] = [];
      while (taken.length < count && waiting.size > 0)
        for (const [owner, own] of [...waiting]) {
          const item = own.shift();
          if (item !== undefined) taken.push(item);
          // The owner that was served is behind the others now.
          waiting.delete(owner);
          if (own.length > 0) waiting.set(owner, own);
          if (taken.length >= count) break;
        }
      size -= taken.length;
      return taken;
    },
  };
}
