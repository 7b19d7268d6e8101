import { declareState } from '../tracked-state.ts';

/**
 * A bounded queue between one or more senders and one reader. When it is full, `offer` returns false and the sender
 * decides.
 */
export interface Mailbox<T extends NonNullable<unknown>> extends AsyncIterable<T> {
  /** Adds an item; false when full or closed (counted in `dropped`). */
  offer(item: T): boolean;
  /** Accepts no more items. The reader receives the waiting ones, then ends. May be called again. */
  close(): void;
  /** Waiting items. */
  readonly size: number;
  readonly dropped: number;
}

const tracked = declareState({
  name: 'script_lines',
  entries: 1_024,
  entryBytes: 65_536,
  filledBy: 'scripts',
  atBound: 'the script waits',
});

export function createMailbox<T extends NonNullable<unknown>>(capacity: number): Mailbox<T> {
  const items: T[] = tracked([]);
  let wake: (() => void) | undefined;
  let closed = false;
  let dropped = 0;
  const rouse = () => {
    wake?.();
    wake = undefined;
  };
  return {
    offer(item) {
      if (closed || items.length >= capacity) {
        dropped += 1;
        return false;
      }
      items.push(item);
      rouse();
      return true;
    },
    close() {
      closed = true;
      rouse();
    },
    get size() {
      return items.length;
    },
    get dropped() {
      return dropped;
    },
    async *[Symbol.asyncIterator]() {
      while (true) {
        const item = items.shift();
        if (item !== undefined) {
          yield item;
          continue;
        }
        if (closed) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
