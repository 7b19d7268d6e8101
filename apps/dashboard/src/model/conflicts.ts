import type { Spanned } from './calendar.ts';

/** A window that some devices have already. */
interface Conflict<Item> {
  readonly item: Item;
  /** How many of the devices that are meant. */
  readonly devices: number;
}

/** The windows that overlap a span and have some of these devices, in the order of their begin. */
export function conflictsOf<Item extends Spanned & { readonly devices: readonly string[] }>(
  items: readonly Item[],
  { fromMs, toMs }: Spanned,
  meant: ReadonlySet<string>,
): readonly Conflict<Item>[] {
  return items
    .filter((item) => item.fromMs < toMs && item.toMs > fromMs)
    .map((item) => ({ item, devices: item.devices.filter((id) => meant.has(id)).length }))
    .filter(({ devices }) => devices > 0)
    .sort((a, b) => a.item.fromMs - b.item.fromMs);
}
