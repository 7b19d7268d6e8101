/** The time of an outage, milliseconds since 1970. */
export interface OutageTime {
  readonly start: number;
  readonly end: number;
}

/** The largest number of outages at the same moment in each of `count` equal parts of a span. */
export function downAtOnce(
  outages: readonly OutageTime[],
  { from, to }: { readonly from: number; readonly to: number },
  count: number,
): readonly number[] {
  // Multiplied first: a quotient that is rounded may fall into the part before.
  const partAt = (ms: number) => ((ms - from) * count) / (to - from);
  const changes = outages
    .filter(({ start, end }) => end > from && start < to && end > start)
    // An outage that ends when another one begins does not count with it.
    .flatMap(({ start, end }) => [
      { at: Math.max(from, start), by: 1 },
      { at: end, by: -1 },
    ])
    .sort((a, b) => a.at - b.at || a.by - b.by);
  const most = Array.from({ length: count }, () => 0);
  let open = 0;
  let part = 0;
  for (const { at, by } of changes) {
    // Up to the change, the number stays. A change at the start of a part is not in the part before.
    const last = Math.min(count - 1, Math.ceil(partAt(at)) - 1);
    for (; part <= last; part += 1) most[part] = Math.max(most[part] ?? 0, open);
    open += by;
    part = Math.min(Math.floor(partAt(at)), count);
    if (part < count) most[part] = Math.max(most[part] ?? 0, open);
  }
  for (; part < count; part += 1) most[part] = Math.max(most[part] ?? 0, open);
  return most;
}

/** A device with its outages, for a row of the timeline. */
export interface OutageLane<Row extends OutageTime> {
  readonly device: string;
  readonly outages: readonly Row[];
  /** Milliseconds of them within the span. */
  readonly down: number;
}

/** The outages by device, the longest downtime within the span first. */
export function lanesOf<Row extends OutageTime & { readonly device: string }>(
  outages: readonly Row[],
  { from, to }: { readonly from: number; readonly to: number },
): readonly OutageLane<Row>[] {
  const byDevice = Map.groupBy(outages, ({ device }) => device);
  return [...byDevice]
    .map(([device, rows]) => ({
      device,
      outages: rows,
      down: rows.reduce(
        (sum, row) => sum + Math.max(0, Math.min(to, row.end) - Math.max(from, row.start)),
        0,
      ),
    }))
    .sort((a, b) => b.down - a.down || (a.device < b.device ? -1 : 1));
}
