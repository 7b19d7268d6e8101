import { dayUs, hourUs, secondUs } from '@vantage/domain';
import type { ShownSpan } from '@vantage/health';

/** A day of a device on a status page. */
export interface PageDay {
  /**
   * Down where it was so at any time, Unknown where nobody observed it for an hour, Maint where it was so, else Up.
   * Undefined: the device did not exist yet.
   */
  readonly status: ShownSpan['status'] | undefined;
  /** How long it was Down, seconds. */
  readonly downSeconds: number;
}

/** Days that a status page shows. */
export const shownDays = 90;

/** A shorter time that nobody observed is not shown in a day. */
const leastUnknownUs = hourUs;

/** The days of 24 hours from `fromUs` on. `spans` are in the order of time and do not overlap. Pure. */
export function daysOf(spans: readonly ShownSpan[], fromUs: number): readonly PageDay[] {
  const days = Array.from({ length: shownDays }, () => ({ Up: 0, Down: 0, Maint: 0, Unknown: 0 }));
  for (const span of spans) {
    const first = Math.max(0, Math.floor((span.fromUs - fromUs) / dayUs));
    const last = Math.min(shownDays - 1, Math.ceil((span.toUs - fromUs) / dayUs) - 1);
    for (let at = first; at <= last; at += 1) {
      const [day, beginUs] = [days[at], fromUs + at * dayUs];
      if (day !== undefined)
        day[span.status] += Math.min(span.toUs, beginUs + dayUs) - Math.max(span.fromUs, beginUs);
    }
  }
  return days.map((day) => ({ status: statusOf(day), downSeconds: Math.round(day.Down / secondUs) }));
}

/** The status that a day is shown with, by how long each lasted. */
function statusOf(lengths: Readonly<Record<ShownSpan['status'], number>>): PageDay['status'] {
  if (lengths.Down > 0) return 'Down';
  if (lengths.Unknown >= leastUnknownUs) return 'Unknown';
  if (lengths.Maint > 0) return 'Maint';
  if (lengths.Up > 0) return 'Up';
  return lengths.Unknown > 0 ? 'Unknown' : undefined;
}

/** An outage as a status page shows it, without its cause. */
export interface Incident {
  readonly fromUs: number;
  /** Undefined: it goes on. */
  readonly toUs: number | undefined;
}

/** The outages in the spans of a device: Down, with what was not observed between. Pure. */
export function incidentsOf(spans: readonly ShownSpan[], nowUs: number): readonly Incident[] {
  const incidents: { fromUs: number; toUs: number | undefined }[] = [];
  let open: (typeof incidents)[number] | undefined;
  for (const { fromUs, toUs, status } of spans) {
    if (status === 'Down') {
      if (open === undefined) {
        open = { fromUs, toUs };
        incidents.push(open);
      }
      open.toUs = toUs >= nowUs ? undefined : toUs;
    } else if (status !== 'Unknown') open = undefined;
  }
  return incidents;
}
