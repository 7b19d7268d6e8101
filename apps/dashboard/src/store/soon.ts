/** Limits of how often work runs. */
interface Pace {
  /** The delay after the first call, in which further calls join it. */
  readonly afterMs: number;
  /** The minimum time between two starts. */
  readonly apartMs: number;
  /** The minimum pause after the work, as a multiple of its duration; default 0. */
  readonly rest?: number;
}

/**
 * Coalesces calls: all calls before a start share one run. Runs do not overlap, and none starts after `ending` aborted.
 * A failed run is ignored: the facts stay as they are.
 */
export function soon(
  work: () => Promise<void>,
  { afterMs, apartMs, rest = 0 }: Pace,
  ending: AbortSignal,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isRunning = false;
  let isRequested = false;
  let freeAt = Number.NEGATIVE_INFINITY;
  const run = async () => {
    timer = undefined;
    isRunning = true;
    const begun = performance.now();
    if (!ending.aborted) await work().catch(() => {});
    const ended = performance.now();
    freeAt = Math.max(begun + apartMs, ended + rest * (ended - begun));
    isRunning = false;
    if (isRequested) request();
  };
  const request = () => {
    isRequested = isRunning;
    if (isRunning || timer !== undefined || ending.aborted) return;
    timer = setTimeout(() => void run(), Math.max(afterMs, freeAt - performance.now()));
  };
  return request;
}
