/**
 * Gathers calls until the queued job that handles them begins. The queue therefore has at most one job of a kind,
 * however slow the disk is. After `close`, later calls get a job of their own.
 */
export function gatherCalls<Call>(
  queued: (job: () => Promise<void>) => Promise<void>,
  handle: (all: readonly Call[]) => Promise<void>,
): { readonly add: (call: Call) => Promise<void>; readonly close: () => void } {
  let gathered: { readonly all: Call[]; readonly handled: Promise<void> } | undefined;
  const begin = () => {
    const all: Call[] = [];
    const handled = queued(() => {
      if (gathered?.all === all) gathered = undefined;
      return handle(all);
    });
    return { all, handled };
  };
  return {
    add(call) {
      gathered ??= begin();
      gathered.all.push(call);
      return gathered.handled;
    },
    close() {
      gathered = undefined;
    },
  };
}
