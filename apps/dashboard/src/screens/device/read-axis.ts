import type { Schemas } from '@vantage/client';
import { type AxisData, dataOfChecks, dataOfStatistics } from '../../model/axis-buckets.ts';
import { type BucketName, bucketFor, type TimeSpan } from '../../model/time-range.ts';
import { api, take, takeAnswer } from '../../store/api.ts';
import { now } from '../../store/clock.ts';

const pageSize = 100;
/** Checks that are drawn one by one; the rest of the last page is for retries. */
const maxRaw = 400;

/** The device of an axis. */
export interface AxisDevice {
  readonly id: string;
  /** The Locations that check it now. */
  readonly locations: readonly string[];
  /** Time between its checks. */
  readonly periodMs: number;
}

/** Data of the rows, and the buckets in which it is. */
export interface ReadAxis extends AxisData {
  readonly bucket: BucketName | 'Raw';
}

export const timestampsOf = ({ from, to }: TimeSpan) => ({
  Timestamp1: new Date(from).toISOString(),
  Timestamp2: new Date(to).toISOString(),
});

/** Reads response times and loss of a span for a chart of this width in pixels: single checks, if they are few. */
export async function readAxis(device: AxisDevice, span: TimeSpan, pixels: number): Promise<ReadAxis> {
  const expected = (span.to - span.from) / device.periodMs;
  if (expected <= Math.min(maxRaw, pixels / 2)) {
    const checks = await readRaw(device.id, span);
    if (checks !== undefined) return { ...dataOfChecks(checks, device.periodMs, span), bucket: 'Raw' };
  }
  const { name, ms } = bucketFor(span, pixels);
  const query = { Bucket: name, With: ['Phases' as const], ...timestampsOf(span) };
  const path = { device_id: device.id };
  const rows = await take(api.GET('/devices/{device_id}/statistics', { params: { path, query } }));
  return { ...dataOfStatistics(rows, ms, span), bucket: name };
}

/** The regular checks of a span; undefined: there are too many. */
async function readRaw(device_id: string, span: TimeSpan): Promise<readonly Schemas['Check'][] | undefined> {
  const checks: Schemas['Check'][] = [];
  for (;;) {
    const before = checks.at(-1)?.check_id;
    const query = {
      Limit: pageSize,
      ...timestampsOf(span),
      ...(before === undefined ? {} : { Before: before }),
    };
    const { data, hasMore } = await takeAnswer(
      api.GET('/devices/{device_id}/checks', { params: { path: { device_id }, query } }),
    );
    checks.push(...data);
    if (!hasMore) return checks;
    if (checks.length >= maxRaw) return undefined;
  }
}

/** The statuses of a device in a span, and its outages, newest first. */
export interface StatusHistory {
  readonly intervals: readonly Schemas['TimelineInterval'][];
  readonly uptime: Schemas['Uptime']['Uptime'];
  readonly outages: readonly Schemas['Outage'][];
  readonly readMs: number;
}

/** Reads the statuses of a span. */
export async function readStatusHistory(device_id: string, span: TimeSpan): Promise<StatusHistory> {
  const path = { device_id };
  const period = timestampsOf(span);
  const [timelines, { Uptime: uptime }, outages] = await Promise.all([
    take(api.GET('/timeline', { params: { query: { Device: [device_id], ...period } } })),
    take(api.GET('/devices/{device_id}/uptime', { params: { path, query: period } })),
    take(
      api.GET('/devices/{device_id}/outages', { params: { path, query: { ...period, Limit: pageSize } } }),
    ),
  ]);
  return { intervals: timelines[0]?.Intervals ?? [], uptime, outages, readMs: now.peek() };
}

/** The marks of a span, newest first, and whether there are more. */
export async function readMarks(device_id: string, span: TimeSpan) {
  const { data, hasMore } = await takeAnswer(
    api.GET('/devices/{device_id}/marks', {
      params: { path: { device_id }, query: { ...timestampsOf(span), Limit: 200 } },
    }),
  );
  return { marks: data, hasMore };
}

/** A check of a bucket: the first that failed, or else the newest; undefined: there is none. */
export async function readCheckOf(device_id: string, span: TimeSpan): Promise<Schemas['Check'] | undefined> {
  const query = { ...timestampsOf(span), Limit: pageSize };
  const checks = await take(
    api.GET('/devices/{device_id}/checks', { params: { path: { device_id }, query } }),
  );
  const inside = checks.filter(({ Timestamp }) => Date.parse(Timestamp) >= span.from - 1_000);
  return inside.findLast(({ ResultCode }) => ResultCode > 1 && ResultCode < 9) ?? inside[0];
}
