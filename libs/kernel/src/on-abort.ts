const listening = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `listener` when the signal aborts, unless the answer is disposed before. For a signal that very many
 * listeners share: `addEventListener` compares a new listener with every one before it, so its cost grows with their
 * number. This one's does not.
 */
export function onAbort(signal: AbortSignal, listener: () => void): Disposable {
  const known = listening.get(signal);
  const listeners = known ?? new Set<() => void>();
  if (known === undefined) {
    listening.set(signal, listeners);
    signal.addEventListener('abort', () => callAll(listeners), { once: true });
  }
  listeners.add(listener);
  return { [Symbol.dispose]: () => void listeners.delete(listener) };
}

function callAll(listeners: Set<() => void>): void {
  for (const listener of listeners) listener();
  listeners.clear();
}
