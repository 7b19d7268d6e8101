import type { Schemas } from '@vantage/client';
import { api, take, takeAnswer } from '../../store/api.ts';
import { now } from '../../store/clock.ts';

export type Check = Schemas['Check'];

/** The data of the screen of a device. */
export interface DeviceDetail {
  readonly device: Schemas['Device'];
  /** Of the device as it was read. */
  readonly etag: string | undefined;
  readonly checks: readonly Check[];
  readonly outages: readonly Schemas['Outage'][];
  readonly alerts: readonly Schemas['Alert'][];
  /** Changes by people, the newest first; empty for a key that may not read the audit. */
  readonly audit: readonly Schemas['AuditEntry'][];
}

const shownChecks = 100;

/** Reads a device with its last checks, outages and alerts. */
export async function readDetail(device_id: string): Promise<DeviceDetail> {
  const path = { device_id };
  const [{ data: device, etag }, checks, outages, alerts, audit] = await Promise.all([
    takeAnswer(api.GET('/devices/{device_id}', { params: { path } })),
    take(api.GET('/devices/{device_id}/checks', { params: { path, query: { Limit: shownChecks } } })),
    take(api.GET('/devices/{device_id}/outages', { params: { path, query: { Limit: 8 } } })),
    take(api.GET('/alerts', { params: { query: { Device: [device_id], Limit: 10 } } })),
    readAudit(device_id),
  ]);
  return { device, etag, checks, outages, alerts, audit };
}

async function readAudit(Id: string): Promise<DeviceDetail['audit']> {
  const { data = [] } = await api.GET('/audit', { params: { query: { Kind: ['device'], Id, Limit: 10 } } });
  return data;
}

/** Has the device checked now. */
export async function checkNow(device_id: string): Promise<void> {
  await take(api.POST('/devices/{device_id}/check', { params: { path: { device_id } } }));
}

/** The paths to the device that were traced, newest first. */
export function readWays(device_id: string): Promise<readonly Schemas['KeptTraceroute'][]> {
  return take(
    api.GET('/devices/{device_id}/traceroutes', { params: { path: { device_id }, query: { Limit: 50 } } }),
  );
}

/** The diagnostics of one check. */
export function readExtended(check_id: string): Promise<Schemas['CheckExtended']> {
  return take(api.GET('/checks/{check_id}/extended', { params: { path: { check_id } } }));
}

/** The statuses of a device since a moment. */
export interface StatusHistory {
  readonly intervals: readonly Schemas['TimelineInterval'][];
  readonly uptime: Schemas['Uptime']['Uptime'];
  readonly readMs: number;
}

/** The intervals and the sums since `from`, milliseconds since 1970. */
export async function readStatusHistory(device_id: string, from: number): Promise<StatusHistory> {
  const Timestamp1 = new Date(from).toISOString();
  const [timelines, { Uptime: uptime }] = await Promise.all([
    take(api.GET('/timeline', { params: { query: { Device: [device_id], Timestamp1 } } })),
    take(api.GET('/devices/{device_id}/uptime', { params: { path: { device_id }, query: { Timestamp1 } } })),
  ]);
  return { intervals: timelines[0]?.Intervals ?? [], uptime, readMs: now.peek() };
}
