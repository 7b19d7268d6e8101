const dayMs = 86_400_000;

/** The rank of an open outage among earlier ones. */
export interface OutageRank {
  /** The number of outages since `days` days, with this one. */
  readonly number: number;
  /** Whole days since the end of the one before, or since the start of the 90 days. */
  readonly days: number;
}

/** The days in which the outages are counted. */
export const rankDays = 90;

/**
 * The rank of an open outage among those of the last 90 days: “its first outage in 61 days” or “its third in 7 days”.
 * `before` are the earlier outages, newest first; `knownDays`: for how long the device exists. Undefined: the device is
 * too young to say anything.
 */
export function outageRank(
  startMs: number,
  before: readonly { readonly endMs: number }[],
  knownDays: number,
): OutageRank | undefined {
  const [last] = before;
  if (last === undefined) {
    const days = Math.min(rankDays, Math.floor(knownDays));
    return days < 1 ? undefined : { number: 1, days };
  }
  const sinceDays = (startMs - last.endMs) / dayMs;
  if (sinceDays >= 7) return { number: 1, days: Math.floor(sinceDays) };
  return { number: before.filter(({ endMs }) => startMs - endMs < 7 * dayMs).length + 1, days: 7 };
}
