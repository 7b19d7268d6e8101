/** An event that ends a wait. */
export type EndOfWait = readonly [target: EventTarget, name: string];

/** Resolves at the first of these events, or after `ms` if given. It leaves neither listeners nor timers. */
export function firstEvent(events: readonly EndOfWait[], ms?: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      for (const [target, name] of events) target.removeEventListener(name, done);
      resolve();
    };
    const timer = ms === undefined ? undefined : setTimeout(done, ms);
    for (const [target, name] of events) target.addEventListener(name, done);
  });
}
