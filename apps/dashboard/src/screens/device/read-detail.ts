import type { Schemas } from '@vantage/client';
import type { Change } from '../../model/timeline.ts';
import { api, take, takeAnswer } from '../../store/api.ts';

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
    take(api.GET('/alerts', { params: { query: { Device: device_id, Limit: 10 } } })),
    readAudit(device_id),
  ]);
  return { device, etag, checks, outages, alerts, audit };
}

async function readAudit(Id: string): Promise<DeviceDetail['audit']> {
  const { data = [] } = await api.GET('/audit', { params: { query: { Kind: 'device', Id, Limit: 10 } } });
  return data;
}

/** Has the device checked now. */
export async function checkNow(device_id: string): Promise<void> {
  await take(api.POST('/devices/{device_id}/check', { params: { path: { device_id } } }));
}

/** The diagnostics of one check. */
export function readExtended(check_id: string): Promise<Schemas['CheckExtended']> {
  return take(api.GET('/checks/{check_id}/extended', { params: { path: { check_id } } }));
}

const mostEvents = 1_000;

/** The changes of status in a time, and the last one before it, the oldest first. */
export async function readChanges(device_id: string, from: number): Promise<readonly Change[]> {
  const changes: Change[] = [];
  let before: string | undefined;
  const Type = 'Created,Down,Up,Unknown,MaintStart,MaintEnd' as const;
  while (changes.length < mostEvents) {
    const query = { Type, Limit: 100, ...(before === undefined ? {} : { Before: before }) };
    const page = await take(
      api.GET('/devices/{device_id}/events', { params: { path: { device_id }, query } }),
    );
    changes.push(...page.map(({ Timestamp, Status }) => ({ at: Date.parse(Timestamp), status: Status })));
    before = page.at(-1)?.event_id;
    if (page.length < 100 || (changes.at(-1)?.at ?? 0) < from) break;
  }
  return changes.reverse();
}
