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

/** Calls `fn` at each signal of this name instead of the default action, until the result is disposed. */
export function onSignal(name: NodeJS.Signals, fn: () => void): Disposable {
  process.on(name, fn);
  return { [Symbol.dispose]: () => void process.off(name, fn) };
}
