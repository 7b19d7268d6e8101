import { Listeners } from './listeners.ts';

/**
 * A signal that aborts on SIGTERM or SIGINT, or when the parent that supervises us is gone (IPC channel closed).
 * The reason is a short text. The second signal ends the process at once.
 */
export function shutdownSignal(): AbortSignal {
  const controller = new AbortController();
  let signals = 0;
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, () => {
      signals += 1;
      if (signals > 1) process.exit(1);
      controller.abort(name);
    });
  }
  if (process.connected) process.on('disconnect', () => controller.abort('supervisor is gone'));
  return controller.signal;
}

/** Calls `fn` at each signal of this name, in place of what the system does; disposing the answer ends that. */
export function onSignal(name: NodeJS.Signals, fn: () => void): Disposable {
  process.on(name, fn);
  return { [Symbol.dispose]: () => void process.off(name, fn) };
}

/** Resolves when the signal aborts. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** The work, which ends when the signal does, also where a library does not listen to it. */
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
 * Calls `listener` when the signal aborts, unless the answer is disposed before. For a signal that very many
 * listeners share: `addEventListener` compares a new listener with every one before it, so its cost grows with their
 * number. This one's does not.
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
