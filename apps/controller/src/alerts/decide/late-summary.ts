import type { Facts } from '@vantage/alerts';
import { secondUs } from '@vantage/domain';

/** A summary names this many outages; the others are counted. */
const summarizedOutages = 50;

/** The facts of a summary of past outages with one more. Since is the begin of the earliest one. Pure. */
export function withOutage(
  { Since, Count, Outages }: Facts,
  outage: {
    readonly Start: number;
    readonly End: number;
    readonly device_id: string;
    readonly ShortName: string;
    readonly FullName: string | null;
  },
): Facts {
  const listed = Array.isArray(Outages) ? Outages : [];
  // A device that is still Down has an alert of its own, after a live check.
  const named = { ...outage, Seconds: Math.floor((outage.End - outage.Start) / secondUs), IsOver: true };
  return {
    Since: Math.min(outage.Start, typeof Since === 'number' ? Since : outage.Start),
    Count: (typeof Count === 'number' ? Count : 0) + 1,
    Outages: listed.length < summarizedOutages ? [...listed, named] : listed,
  };
}
