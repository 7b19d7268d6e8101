import type { Clock } from './clock.ts';
import { declareState } from './tracked-state.ts';

/** Logs occurrences that strangers can cause at will: the first at once, then one line a minute with the count. */
export interface LogSummary extends Disposable {
  /** Counts an occurrence. `text` comes from a short list of the caller; `data` belongs to this occurrence. */
  count(text: string, data: object, level?: 'warn' | 'error'): void;
}

const everyMs = 60_000;

const tracked = declareState({
  name: 'log_summaries',
  entries: 100,
  entryBytes: 20_000,
  filledBy: 'the program',
  atBound: 'the program has fewer texts',
});

/** The summary keeps the count and the last occurrence of each text. Disposing it writes the remaining counts. */
export function createLogSummary({
  clock,
  log,
}: {
  readonly clock: Pick<Clock, 'timer'>;
  readonly log: { warn(data: object, text: string): void; error(data: object, text: string): void };
}): LogSummary {
  const repeated = tracked(
    new Map<string, { count: number; last: object; readonly level: 'warn' | 'error' }>(),
  );
  const timers = new Set<Disposable>();

  const begin = (text: string, level: 'warn' | 'error') => {
    repeated.set(text, { count: 0, last: {}, level });
    const timer = clock.timer(everyMs, () => {
      timers.delete(timer);
      const { count, last } = repeated.get(text) ?? { count: 0, last: {} };
      repeated.delete(text);
      if (count === 0) return;
      log[level]({ ...last, times: count, seconds: everyMs / 1000 }, text);
      begin(text, level); // occurrences continue, so the next line follows in a minute
    });
    timers.add(timer);
  };

  return {
    count(text, data, level = 'warn') {
      const entry = repeated.get(text);
      if (entry !== undefined) {
        entry.count += 1;
        entry.last = data;
        return;
      }
      log[level](data, text);
      begin(text, level);
    },
    [Symbol.dispose]() {
      for (const timer of timers) timer[Symbol.dispose]();
      timers.clear();
      for (const [text, { count, last, level }] of repeated)
        if (count > 0) log[level]({ ...last, times: count }, text);
      repeated.clear();
    },
  };
}
