import { Listeners } from './listeners.ts';

export function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** Settles as the work does, or rejects when the signal aborts first; for libraries that take no signal. */
export function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => reject(signal.reason);
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
  });
}

const listening = new WeakMap<AbortSignal, Listeners<() => void>>();

/**
 * Calls `listener` when the signal aborts, unless the result is disposed before. Use it for a signal that very many
 * listeners share: `addEventListener` compares a new listener with all earlier ones, so its cost grows with their
 * number. The cost of this function does not.
 */
export function onAbort(signal: AbortSignal, listener: () => void): Disposable {
  return (listening.get(signal) ?? listenTo(signal)).add(listener);
}

function listenTo(signal: AbortSignal): Listeners<() => void> {
  const listeners = new Listeners<() => void>();
  listening.set(signal, listeners);
  const callAll = () => {
    for (const listener of listeners.takeAll()) listener();
  };
  signal.addEventListener('abort', callAll, { once: true });
  return listeners;
}
