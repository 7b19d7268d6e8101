import type { CalendarSpan } from './calendar.ts';

/** A window that some of the planned devices already have. */
interface Conflict<Item> {
  readonly item: Item;
  /** The number of planned devices in it. */
  readonly devices: number;
}

/** The windows that overlap a span and contain planned devices, in the order of their start. */
export function conflictsOf<Item extends CalendarSpan & { readonly devices: readonly string[] }>(
  items: readonly Item[],
  { fromMs, toMs }: CalendarSpan,
  planned: ReadonlySet<string>,
): readonly Conflict<Item>[] {
  return items
    .filter((item) => item.fromMs < toMs && item.toMs > fromMs)
    .map((item) => ({ item, devices: item.devices.filter((id) => planned.has(id)).length }))
    .filter(({ devices }) => devices > 0)
    .sort((a, b) => a.item.fromMs - b.item.fromMs);
}
