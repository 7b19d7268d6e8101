import type { Schemas } from '@vantage/client';
import type { Moments, Outage } from '@vantage/domain/report';
import type { StatusInterval } from '../model/timeline.ts';

type UptimeRow = Schemas['UptimeOfDevice'];

/** A period in the format of the API. */
interface Period {
  readonly Timestamp1: string;
  readonly Timestamp2: string;
}

/** The parts of the API from which a report is read. */
export interface ReportSource {
  readonly uptime: (
    query: Period & { readonly Device: readonly string[]; readonly Limit: number },
  ) => Promise<readonly UptimeRow[]>;
  readonly outages: (
    query: Period & { Before?: string; Limit: number },
  ) => Promise<{ readonly rows: readonly Outage[]; readonly hasMore: boolean }>;
  readonly outagesOf: (
    device: string,
    query: Period & { Before?: string; Limit: number },
  ) => Promise<{ readonly rows: readonly Outage[]; readonly hasMore: boolean }>;
  readonly timeline: (
    query: Period & { readonly Device: readonly string[]; readonly Limit: number },
  ) => Promise<readonly Schemas['DeviceTimeline'][]>;
  /** The rows of `uptime` as CSV. */
  readonly uptimeCsv: (
    query: Period & { readonly Device: readonly string[]; readonly Limit: number },
  ) => Promise<string>;
}

/** The size of a page, and the number of devices in a request: their ids must fit into an address. */
const pageSize = 100;
/** The maximum number of concurrent requests. */
const maxConcurrent = 4;
/** The maximum number of outages that a report lists; its figures count all. */
export const maxOutages = 5_000;
/** Up to this number, the outages are read device by device; above it, those of the account. */
const fewDevices = 12;
/** Above this number of devices the bars add nothing to the figures. */
const maxBars = 500;

/** Uptime and outages of devices over a period. */
export interface ReportData {
  readonly uptimes: readonly UptimeRow[];
  readonly outages: readonly Outage[];
  /** Whether the list of outages is incomplete. */
  readonly isCut: boolean;
  /** Statuses by device; empty for too many devices. */
  readonly intervals: ReadonlyMap<string, readonly StatusInterval[]>;
}

/** The period of a report's requests. Because of its milliseconds, the end is not part of a list of outages. */
function periodOf({ from, to }: Moments): Period {
  return { Timestamp1: new Date(from).toISOString(), Timestamp2: new Date(to).toISOString() };
}

/** The ids in groups, one for each request. */
function inRequests(ids: readonly string[]): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(ids.length / pageSize) }, (_, at) =>
    ids.slice(at * pageSize, (at + 1) * pageSize),
  );
}

/** Requests for all items, at most `maxConcurrent` at the same time. The answers are in the order of the items. */
async function requestAll<Item, Result>(
  items: readonly Item[],
  request: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const answers: Result[] = [];
  const waiting = [...items.entries()];
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      answers[next[0]] = await request(next[1]);
  };
  await Promise.all(Array.from({ length: maxConcurrent }, lane));
  return answers;
}

/** Reads the figures of a report on devices between two moments. */
export async function readReport(
  source: ReportSource,
  ids: readonly string[],
  moments: Moments,
): Promise<ReportData> {
  const period = periodOf(moments);
  const groups = inRequests(ids);
  const [uptimes, found, timelines] = await Promise.all([
    readUptimes(source, ids, moments),
    readOutages(source, ids, period),
    ids.length > maxBars
      ? []
      : requestAll(groups, (Device) => source.timeline({ ...period, Device, Limit: pageSize })),
  ]);
  const intervals = timelines
    .flat()
    .map(
      ({ device_id, Intervals }) =>
        [device_id, Intervals.map((interval) => intervalOf(interval, moments.to))] as const,
    );
  return { uptimes, ...found, intervals: new Map(intervals) };
}

async function readOutages(source: ReportSource, ids: readonly string[], period: Period) {
  if (ids.length <= fewDevices) {
    const all = await requestAll(ids, (id) =>
      allPages((query) => source.outagesOf(id, { ...period, ...query })),
    );
    return { outages: all.flatMap(({ rows }) => rows), isCut: all.some(({ isCut }) => isCut) };
  }
  const reported = new Set(ids);
  const { rows, isCut } = await allPages((query) => source.outages({ ...period, ...query }));
  return { outages: rows.filter(({ device_id }) => reported.has(device_id)), isCut };
}

async function allPages(
  read: (query: {
    Before?: string;
    Limit: number;
  }) => Promise<{ readonly rows: readonly Outage[]; readonly hasMore: boolean }>,
): Promise<{ readonly rows: readonly Outage[]; readonly isCut: boolean }> {
  const all: Outage[] = [];
  for (let last: string | undefined; all.length < maxOutages; last = all.at(-1)?.outage_id) {
    const { rows, hasMore } = await read({
      Limit: pageSize,
      ...(last === undefined ? {} : { Before: last }),
    });
    all.push(...rows);
    if (!hasMore || rows.length === 0) return { rows: all, isCut: false };
  }
  return { rows: all, isCut: true };
}

/** An interval of the API; `to` is the end of an open one, milliseconds since 1970. */
export function intervalOf({ Start, End, Status }: Schemas['TimelineInterval'], to: number): StatusInterval {
  return { start: Date.parse(Start), end: End === null ? to : Date.parse(End), status: Status };
}

/** The rows of `GET /uptime` as CSV of the API, with a single header. */
export async function readCsv(
  source: ReportSource,
  ids: readonly string[],
  moments: Moments,
): Promise<string> {
  const parts = await requestAll(inRequests(ids), (Device) =>
    source.uptimeCsv({ ...periodOf(moments), Device, Limit: pageSize }),
  );
  return parts.map((part, at) => (at === 0 ? part : part.slice(part.indexOf('\r\n') + 2))).join('');
}

/** Only the uptime, for the comparison with another span. */
export async function readUptimes(
  source: ReportSource,
  ids: readonly string[],
  moments: Moments,
): Promise<ReportData['uptimes']> {
  const period = periodOf(moments);
  return (
    await requestAll(inRequests(ids), (Device) => source.uptime({ ...period, Device, Limit: pageSize }))
  ).flat();
}
