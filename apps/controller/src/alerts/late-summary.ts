import type { Facts } from '@vantage/alerts';

/** A summary names this many outages; the others are counted. */
const summarizedOutages = 100;

/** The facts of a summary of past outages with one more. Since is the begin of the earliest one. Pure. */
export function withOutage(
  { Since, Count, Outages }: Facts,
  outage: {
    readonly Start: number;
    readonly End: number;
    readonly device_id: string;
    readonly ShortName: string;
  },
): Facts {
  const listed = Array.isArray(Outages) ? Outages : [];
  return {
    Since: Math.min(outage.Start, typeof Since === 'number' ? Since : outage.Start),
    Count: (typeof Count === 'number' ? Count : 0) + 1,
    Outages: listed.length < summarizedOutages ? [...listed, outage] : listed,
  };
}
