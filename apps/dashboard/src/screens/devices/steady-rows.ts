import { computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import type { DeviceListRow } from '../../store/account-state.ts';

const intervalMs = 1_000;

/**
 * Rows that stay in position when their state changes. They are sorted at once when `question` changes (the filter, or
 * the facts were read), and otherwise only after the pointer has left the list for a while: a row must not move away
 * under the pointer.
 */
export function createSteadyRows(
  all: ReadonlySignal<readonly DeviceListRow[]>,
  found: ReadonlySignal<readonly DeviceListRow[]>,
  question: ReadonlySignal<unknown>,
) {
  const order = signal<{ readonly question: unknown; readonly sorted: readonly DeviceListRow[] }>({
    question: undefined,
    sorted: [],
  });
  let [sortedMs, touchedMs] = [0, 0];
  const sort = () => {
    sortedMs = performance.now();
    order.value = { question: question.peek(), sorted: found.peek() };
  };
  effect(() => {
    void question.value;
    sort();
  });
  const byId = computed(() => new Map(all.value.map((row) => [row.id, row])));
  return {
    rows: computed(() => {
      const { question: asked, sorted } = order.value;
      return asked !== question.value || sorted === found.value
        ? found.value
        : keepOrder(
            sorted.map(({ id }) => id),
            byId.value,
            found.value,
          );
    }),
    /** To be called when the pointer or the focus is on the list. */
    touch: () => {
      touchedMs = performance.now();
    },
    /** Sorts whenever it may, until the returned function is called. */
    follow: () => {
      sort();
      const timer = setInterval(() => {
        if (maySort({ nowMs: performance.now(), sortedMs, touchedMs })) sort();
      }, intervalMs);
      return () => clearInterval(timer);
    },
  };
}

/**
 * The rows of a list whose order stays. Rows that were shown (`shownIds`) stay in position, even if their new state
 * would move them or no longer matches the filter. New matching rows follow, and deleted rows are removed. Pure.
 */
export function keepOrder<Row extends { readonly id: string }>(
  shownIds: readonly string[],
  all: ReadonlyMap<string, Row>,
  fitting: readonly Row[],
): readonly Row[] {
  const shown = new Set(shownIds);
  return [...shownIds.flatMap((id) => all.get(id) ?? []), ...fitting.filter(({ id }) => !shown.has(id))];
}

/** The time for which an order stays after sorting, and after the pointer was on a row, milliseconds. */
export const steadyMs = 5_000;

/** Whether a list may be sorted again: the pointer is not on it, and there was time to read it. Pure. */
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
