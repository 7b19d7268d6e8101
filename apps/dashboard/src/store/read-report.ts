import type { Schemas } from '@vantage/client';
import type { Moments, Outage } from '@vantage/domain/report';
import type { Interval } from '../model/timeline.ts';

type UptimeRow = Schemas['UptimeOfDevice'];

/** A period as the API takes it. */
interface Period {
  readonly Timestamp1: string;
  readonly Timestamp2: string;
}

/** The parts of the API from which a report is made. */
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

/** A page of a list, and how many devices one request names: their ids must fit into an address. */
const pageSize = 100;
/** Requests that are under way at once. */
const atOnce = 4;
/** A report lists at most this many outages; its figures count all. */
export const mostOutages = 5_000;
/** Fewer devices are asked one by one for their outages, else the account is. */
const fewDevices = 12;
/** Above this many devices the bars say nothing that the figures do not. */
const mostBars = 500;

/** Uptime and outages of devices over a period. */
export interface ReportData {
  readonly uptimes: readonly UptimeRow[];
  readonly outages: readonly Outage[];
  /** The list of outages is not complete. */
  readonly isCut: boolean;
  /** Statuses by device; of too many devices none. */
  readonly intervals: ReadonlyMap<string, readonly Interval[]>;
}

/** The period of moments for every request of a report. With its fraction, the end is not part of a list of outages. */
function periodOf({ from, to }: Moments): Period {
  return { Timestamp1: new Date(from).toISOString(), Timestamp2: new Date(to).toISOString() };
}

/** The ids in groups, each for one request. */
function inRequests(ids: readonly string[]): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(ids.length / pageSize) }, (_, at) =>
    ids.slice(at * pageSize, (at + 1) * pageSize),
  );
}

/** Answers in the order of `asked`, a few requests at once. */
async function askAll<Asked, Answer>(
  asked: readonly Asked[],
  ask: (one: Asked) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  const waiting = [...asked.entries()];
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      answers[next[0]] = await ask(next[1]);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return answers;
}

/** Reads the figures of a report: its devices between two moments. */
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
    ids.length > mostBars
      ? []
      : askAll(groups, (Device) => source.timeline({ ...period, Device, Limit: pageSize })),
  ]);
  const intervals = timelines
    .flat()
    .map(
      ({ device_id, Intervals }) =>
        [device_id, Intervals.map((each) => intervalOf(each, moments.to))] as const,
    );
  return { uptimes, ...found, intervals: new Map(intervals) };
}

async function readOutages(source: ReportSource, ids: readonly string[], period: Period) {
  if (ids.length <= fewDevices) {
    const all = await askAll(ids, (id) => allPages((query) => source.outagesOf(id, { ...period, ...query })));
    return { outages: all.flatMap(({ rows }) => rows), isCut: all.some(({ isCut }) => isCut) };
  }
  const wanted = new Set(ids);
  const { rows, isCut } = await allPages((query) => source.outages({ ...period, ...query }));
  return { outages: rows.filter(({ device_id }) => wanted.has(device_id)), isCut };
}

async function allPages(
  read: (query: {
    Before?: string;
    Limit: number;
  }) => Promise<{ readonly rows: readonly Outage[]; readonly hasMore: boolean }>,
): Promise<{ readonly rows: readonly Outage[]; readonly isCut: boolean }> {
  const all: Outage[] = [];
  for (let last: string | undefined; all.length < mostOutages; last = all.at(-1)?.outage_id) {
    const { rows, hasMore } = await read({
      Limit: pageSize,
      ...(last === undefined ? {} : { Before: last }),
    });
    all.push(...rows);
    if (!hasMore || rows.length === 0) return { rows: all, isCut: false };
  }
  return { rows: all, isCut: true };
}

/** An interval of the API; `to` is where one that is open ends, milliseconds since 1970. */
export function intervalOf({ Start, End, Status }: Schemas['TimelineInterval'], to: number): Interval {
  return { start: Date.parse(Start), end: End === null ? to : Date.parse(End), status: Status };
}

/** The rows of `GET /uptime` as the API writes them in CSV, with one header. */
export async function readCsv(
  source: ReportSource,
  ids: readonly string[],
  moments: Moments,
): Promise<string> {
  const parts = await askAll(inRequests(ids), (Device) =>
    source.uptimeCsv({ ...periodOf(moments), Device, Limit: pageSize }),
  );
  return parts.map((part, at) => (at === 0 ? part : part.slice(part.indexOf('\r\n') + 2))).join('');
}

/** Uptime alone, for a comparison with another span. */
export async function readUptimes(
  source: ReportSource,
  ids: readonly string[],
  moments: Moments,
): Promise<ReportData['uptimes']> {
  const period = periodOf(moments);
  return (
    await askAll(inRequests(ids), (Device) => source.uptime({ ...period, Device, Limit: pageSize }))
  ).flat();
}
