/** Limits how often work runs. */
interface Pace {
  /** The delay after the first call, so that further calls join it. */
  readonly afterMs: number;
  /** The least time between two starts. */
  readonly apartMs: number;
  /** The least pause after the work, as a multiple of its duration; default 0. */
  readonly rest?: number;
}

/**
 * Coalesces calls: the work runs once for all calls until it starts. Runs do not overlap, and none starts after
 * `ending` aborted. A failed run leaves what is shown.
 */
export function soon(
  work: () => Promise<void>,
  { afterMs, apartMs, rest = 0 }: Pace,
  ending: AbortSignal,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isRunning = false;
  let isAsked = false;
  let freeAt = Number.NEGATIVE_INFINITY;
  const run = async () => {
    timer = undefined;
    isRunning = true;
    const begun = performance.now();
    if (!ending.aborted) await work().catch(() => {});
    const ended = performance.now();
    freeAt = Math.max(begun + apartMs, ended + rest * (ended - begun));
    isRunning = false;
    if (isAsked) ask();
  };
  const ask = () => {
    isAsked = isRunning;
    if (isRunning || timer !== undefined || ending.aborted) return;
    timer = setTimeout(() => void run(), Math.max(afterMs, freeAt - performance.now()));
  };
  return ask;
}
