import type { CalendarSpan } from './calendar.ts';

/** A window that some of the planned devices have already. */
interface Conflict<Item> {
  readonly item: Item;
  /** The number of planned devices in it. */
  readonly devices: number;
}

type PlannedSpan = CalendarSpan & { readonly devices: readonly string[] };

/** The items that contain planned devices, in the order of their start. */
function withDevices<Item extends PlannedSpan>(
  items: readonly Item[],
  planned: ReadonlySet<string>,
): readonly Conflict<Item>[] {
  return items
    .map((item) => ({ item, devices: item.devices.filter((id) => planned.has(id)).length }))
    .filter(({ devices }) => devices > 0)
    .sort((a, b) => a.item.fromMs - b.item.fromMs);
}

/** The windows that overlap a span and contain planned devices, in the order of their start. */
export function conflictsOf<Item extends PlannedSpan>(
  items: readonly Item[],
  { fromMs, toMs }: CalendarSpan,
  planned: ReadonlySet<string>,
): readonly Conflict<Item>[] {
  return withDevices(
    items.filter((item) => item.fromMs < toMs && item.toMs > fromMs),
    planned,
  );
}

/**
 * The windows at other times that planned devices leave: a device has one window of a person that has not begun.
 * `isManual`: it was planned by a person.
 */
export function replacedBy<Item extends PlannedSpan & { readonly isManual: boolean }>(
  items: readonly Item[],
  { fromMs, toMs }: CalendarSpan,
  planned: ReadonlySet<string>,
  nowMs: number,
): readonly Conflict<Item>[] {
  return withDevices(
    items.filter(
      (item) => item.isManual && item.fromMs > nowMs && (item.fromMs >= toMs || item.toMs <= fromMs),
    ),
    planned,
  );
}
