/**
 * Listeners in reusable slots. A Set would be rehashed into a new table again and again while entries come and go, and
 * a table that V8 has moved to its old generation keeps all its entries in memory until the next full collection.
 */
export class Listeners<Listener> {
  private listeners: (Listener | undefined)[] = [];
  private free: number[] = [];

  /** Adds a listener; disposing the result removes it. */
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
    const taken = this.listeners.filter((listener) => listener !== undefined);
    this.listeners = [];
    this.free = [];
    return taken;
  }
}
