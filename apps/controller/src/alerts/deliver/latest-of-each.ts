import { deviceStateKinds, turnOf } from '@vantage/alerts';

/** The fields that decide which notifications of one message are about the same. */
interface MergedRow {
  readonly alert_no: number | null;
  readonly order_key: string;
  readonly kind: string;
}

/**
 * The notifications that a message of several names: each device once, with its latest state, so that a device that
 * recovered meanwhile is named as Up only. `rows` are in the order of their creation. Pure.
 *
 * | notification | named once for each |
 * |---|---|
 * | state of a device (Down, Up, Partial, Slow, flapping) | device |
 * | begin or end of another alert (interface, Location, anchor, contact, installation) | alert |
 * | something else of an alert (certificate, acknowledgement) | alert and kind |
 * | of no alert | notification |
 */
export function latestOfEach<T extends MergedRow>(rows: readonly [T, ...T[]]): readonly [T, ...T[]] {
  const latest = new Map<unknown, T>();
  for (const row of rows) {
    const key = keyOf(row);
    // Deleted first, so that the later one keeps its own position.
    latest.delete(key);
    latest.set(key, row);
  }
  const [first = rows[0], ...rest] = latest.values();
  return [first, ...rest];
}

function keyOf(row: MergedRow): unknown {
  if (row.alert_no === null) return row;
  if (deviceStateKinds.has(row.kind)) return row.order_key;
  return turnOf(row.kind) !== undefined ? row.alert_no : `${row.alert_no}/${row.kind}`;
}
