/** A tab that gets hidden draws nothing more. */
const longestMs = 200;

/** Resolves when the browser has drawn what is shown now, so that further work does not delay it. */
export function nextPicture(): Promise<void> {
  if (globalThis.document?.hidden !== false) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, longestMs);
  // A frame is drawn after its callbacks.
  requestAnimationFrame(() => setTimeout(resolve));
  return promise;
}
