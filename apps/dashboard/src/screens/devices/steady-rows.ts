import { computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import { keepPlaces, maySort } from '../../model/steady-order.ts';
import type { DeviceRow } from '../../store/facts.ts';

const lookMs = 1_000;

/**
 * Rows that change their state in their place. They are sorted at once when `question` changes (the filter, or what was
 * read), and else only when nobody has pointed at the list for a while: a row must not move away under a finger.
 */
export function createSteadyRows(
  all: ReadonlySignal<readonly DeviceRow[]>,
  found: ReadonlySignal<readonly DeviceRow[]>,
  question: ReadonlySignal<unknown>,
) {
  const kept = signal<{ readonly of: unknown; readonly ids: readonly string[] }>({ of: undefined, ids: [] });
  let [sortedMs, touchedMs] = [0, 0];
  const sort = () => {
    sortedMs = performance.now();
    kept.value = { of: question.peek(), ids: found.peek().map(({ id }) => id) };
  };
  effect(() => {
    void question.value;
    sort();
  });
  const byId = computed(() => new Map(all.value.map((row) => [row.id, row])));
  return {
    rows: computed(() =>
      kept.value.of === question.value ? keepPlaces(kept.value.ids, byId.value, found.value) : found.value,
    ),
    /** Somebody points at the list. */
    touch: () => {
      touchedMs = performance.now();
    },
    /** Sorts when it is time, until the returned function is called. */
    follow: () => {
      sort();
      const timer = setInterval(() => {
        if (maySort({ nowMs: performance.now(), sortedMs, touchedMs })) sort();
      }, lookMs);
      return () => clearInterval(timer);
    },
  };
}
