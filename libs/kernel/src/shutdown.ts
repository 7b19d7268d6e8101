/**
 * A signal that aborts on SIGTERM or SIGINT, or when the parent that supervises us is gone (IPC channel closed).
 * The reason is a short text. The second signal ends the process at once.
 */
export function shutdownSignal(): AbortSignal {
  const controller = new AbortController();
  const end = (reason: string) => {
    if (controller.signal.aborted && reason.startsWith('SIG')) process.exit(1);
    controller.abort(reason);
  };
  process.on('SIGTERM', () => end('SIGTERM'));
  process.on('SIGINT', () => end('SIGINT'));
  if (process.connected) process.on('disconnect', () => end('supervisor is gone'));
  return controller.signal;
}

/** Resolves when the signal aborts. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
