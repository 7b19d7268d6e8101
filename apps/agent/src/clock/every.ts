import type { Clock } from '@vantage/kernel';

/** Calls `fn` each `ms` after the call before, until disposed. */
export function every(clock: Clock, ms: number, fn: () => void): Disposable {
  let timer = clock.timer(ms, tick);
  function tick(): void {
    timer = clock.timer(ms, tick);
    fn();
  }
  return { [Symbol.dispose]: () => timer[Symbol.dispose]() };
}
