import { computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import type { DeviceRow } from '../../store/account-state.ts';

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

/**
 * The rows of a list whose order stays: those that it showed (`kept`, their ids) keep their places, also where a
 * changed state would move them or take them out of the filter. New ones that fit follow, and deleted ones leave. Pure.
 */
export function keepPlaces<Row extends { readonly id: string }>(
  kept: readonly string[],
  all: ReadonlyMap<string, Row>,
  fitting: readonly Row[],
): readonly Row[] {
  const shown = new Set(kept);
  return [...kept.flatMap((id) => all.get(id) ?? []), ...fitting.filter(({ id }) => !shown.has(id))];
}

/** How long an order stays after it was made, and after somebody pointed at a row, milliseconds. */
export const steadyMs = 5_000;

/** Whether a list may be sorted again: nobody is about to press a row, and the eye has had time to read. Pure. */
export function maySort({
  nowMs,
  sortedMs,
  touchedMs,
}: {
  readonly nowMs: number;
  readonly sortedMs: number;
  readonly touchedMs: number;
}): boolean {
  return nowMs - Math.max(sortedMs, touchedMs) >= steadyMs;
}
