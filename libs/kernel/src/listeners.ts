/**
 * Listeners, each in a slot that a later one takes over. Not a Set: a Set is copied again and again while entries come
 * and go, and a copy that V8 has moved to its old generation keeps all entries of that moment in memory until the next
 * full collection.
 */
export class Listeners<Listener> {
  private listeners: (Listener | undefined)[] = [];
  private free: number[] = [];

  /** Adds a listener; disposing the answer removes it. */
  add(listener: Listener): Disposable {
    const at = this.free.pop() ?? this.listeners.length;
    this.listeners[at] = listener;
    return {
      [Symbol.dispose]: () => {
        if (this.listeners[at] !== listener) return;
        this.listeners[at] = undefined;
        this.free.push(at);
      },
    };
  }

  /** Removes all listeners and returns them. */
  takeAll(): readonly Listener[] {
    const all = this.listeners.filter((each) => each !== undefined);
    this.listeners = [];
    this.free = [];
    return all;
  }
}
