/**
 * A signal that is repeated within this time is the same request, because a group's signal comes once directly and once
 * through our parents.
 */
const sameRequestMs = 1_000;

/**
 * Calls `onEnd` when this process is asked to end (SIGINT, SIGTERM, SIGHUP, or the parent that holds our IPC channel is
 * gone), and `onInsist` when it is asked again more than a second later. Disposing the answer ends that.
 */
export function whenAskedToEnd(onEnd: () => void, onInsist: () => void): Disposable {
  let askedMs: number | undefined;
  const ask = () => {
    if (askedMs === undefined) {
      askedMs = performance.now();
      onEnd();
    } else if (performance.now() - askedMs > sameRequestMs) onInsist();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, ask);
  if (process.connected) process.on('disconnect', ask);
  return {
    [Symbol.dispose]() {
      for (const signal of signals) process.off(signal, ask);
      process.off('disconnect', ask);
    },
  };
}
