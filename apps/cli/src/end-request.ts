/** A process group's signal arrives twice, directly and through our parents. Within this time it is one request. */
const sameRequestMs = 1_000;

/**
 * Calls `onEnd` at the first request to end this process: SIGINT, SIGTERM, SIGHUP, or the end of the parent with our
 * IPC channel. Calls `onInsist` at each later request.
 */
export function onEndRequest(onEnd: () => void, onInsist: () => void): Disposable {
  let firstMs: number | undefined;
  const request = () => {
    if (firstMs === undefined) {
      firstMs = performance.now();
      onEnd();
    } else if (performance.now() - firstMs > sameRequestMs) onInsist();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, request);
  if (process.connected) process.on('disconnect', request);
  return {
    [Symbol.dispose]() {
      for (const signal of signals) process.off(signal, request);
      process.off('disconnect', request);
    },
  };
}
