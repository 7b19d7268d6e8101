import { dayUs, hourUs, secondUs } from '@vantage/domain';
import { type Uptime, uptimeOf } from '@vantage/domain/report';
import type { ShownSpan } from '@vantage/health';

/** A day of a device on a status page. */
export interface PageDay {
  /**
   * Down if it was Down at any time, Unknown if it was not observed for an hour, Maint if it was in maintenance, else
   * Up. Undefined: it was not observed at all, because it did not exist yet or was paused.
   */
  readonly status: ShownSpan['status'] | undefined;
  /** The time that it was Down, seconds. */
  readonly downSeconds: number;
}

/** Days that a status page shows. */
export const shownDays = 90;

/** Shorter unobserved times are not shown in a day. */
const minUnknownUs = hourUs;

/** A result of the spans of a device, which are added in the order of time and do not overlap. */
interface Gathered<T> {
  /** The first span may continue the last span that was added before. */
  add(spans: readonly ShownSpan[]): void;
  readonly result: T;
}

/** Gathers the days of 24 hours from `fromUs` on. */
export function gatherDays(fromUs: number): Gathered<readonly PageDay[]> {
  const days = Array.from({ length: shownDays }, () => ({ Up: 0, Down: 0, Maint: 0, Unknown: 0 }));
  return {
    add(spans) {
      for (const span of spans) {
        const first = Math.max(0, Math.floor((span.fromUs - fromUs) / dayUs));
        const last = Math.min(shownDays - 1, Math.ceil((span.toUs - fromUs) / dayUs) - 1);
        for (let at = first; at <= last; at += 1) {
          const [day, beginUs] = [days[at], fromUs + at * dayUs];
          if (day !== undefined)
            day[span.status] += Math.min(span.toUs, beginUs + dayUs) - Math.max(span.fromUs, beginUs);
        }
      }
    },
    get result() {
      return days.map((day) => ({ status: statusOf(day), downSeconds: Math.round(day.Down / secondUs) }));
    },
  };
}

const worstFirst = ['Down', 'Unknown', 'Maint', 'Up'] as const;

/** The days of several devices as one row: the worst status of each day, and the longest time down. Pure. */
export function worstDays(devices: readonly (readonly PageDay[])[]): readonly PageDay[] {
  return Array.from({ length: shownDays }, (_, at) => {
    const days = devices.flatMap((all) => all[at] ?? []);
    const status = worstFirst.find((worst) => days.some((day) => day.status === worst));
    return { status, downSeconds: Math.max(0, ...days.map(({ downSeconds }) => downSeconds)) };
  });
}

/** Gathers what may be said about the uptime; `totalUs` is the whole time that the page shows. */
export function gatherUptime(totalUs: number): Gathered<Uptime> {
  const lengths = { Up: 0, Down: 0, Maint: 0, Unknown: 0 };
  return {
    add(spans) {
      for (const { fromUs, toUs, status } of spans) lengths[status] += toUs - fromUs;
    },
    get result() {
      const { Up, Down, Maint } = lengths;
      // Time before a device existed was not observed either.
      const unknown = Math.max(0, totalUs - Up - Down - Maint);
      return uptimeOf({
        up: Up / secondUs,
        down: Down / secondUs,
        maintenance: Maint / secondUs,
        unknown: unknown / secondUs,
        excluded: 0,
      });
    },
  };
}

/** The status that a day is shown with, by how long each lasted. */
function statusOf(lengths: Readonly<Record<ShownSpan['status'], number>>): PageDay['status'] {
  if (lengths.Down > 0) return 'Down';
  if (lengths.Unknown >= minUnknownUs) return 'Unknown';
  if (lengths.Maint > 0) return 'Maint';
  if (lengths.Up > 0) return 'Up';
  return lengths.Unknown > 0 ? 'Unknown' : undefined;
}

/** An outage as a status page shows it, without its cause. */
export interface PageIncident {
  readonly fromUs: number;
  /** Undefined: it is open. */
  readonly toUs: number | undefined;
}

/**
 * Gathers the outages of a device that lasted beyond `sinceUs`, the latest `most` of them: Down, with what was not
 * observed between.
 */
export function gatherIncidents(ask: {
  readonly nowUs: number;
  readonly sinceUs: number;
  readonly most: number;
}): Gathered<readonly PageIncident[]> {
  const { nowUs, sinceUs, most } = ask;
  const incidents: { fromUs: number; toUs: number | undefined }[] = [];
  let open: (typeof incidents)[number] | undefined;
  const isMeant = ({ toUs }: PageIncident) => toUs === undefined || toUs > sinceUs;
  const close = () => {
    if (open !== undefined && !isMeant(open)) incidents.pop();
    if (incidents.length > most) incidents.shift();
    open = undefined;
  };
  return {
    add(spans) {
      for (const { fromUs, toUs, status } of spans)
        if (status === 'Down') {
          if (open === undefined) {
            open = { fromUs, toUs };
            incidents.push(open);
          }
          open.toUs = toUs >= nowUs ? undefined : toUs;
        } else if (status !== 'Unknown') close();
    },
    get result() {
      return incidents.filter(isMeant).slice(-most);
    },
  };
}
