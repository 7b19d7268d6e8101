import type { Schemas } from '@vantage/client';
import { api, take, takeAnswer } from '../../store/api.ts';

export type Check = Schemas['Check'];

/** The data of the screen of a device. */
export interface DeviceDetail {
  readonly device: Schemas['Device'];
  /** The ETag of the device. */
  readonly etag: string | undefined;
  readonly checks: readonly Check[];
  readonly alerts: readonly Schemas['Alert'][];
}

export const deviceName = ({ device }: DeviceDetail) => device.FullName ?? device.ShortName;

/** The checks of a page. */
export const shownChecks = 100;

/** Reads a device with its last checks, outages and alerts. */
export async function readDetail(device_id: string): Promise<DeviceDetail> {
  const path = { device_id };
  const [{ data: device, etag }, checks, alerts] = await Promise.all([
    takeAnswer(api.GET('/devices/{device_id}', { params: { path } })),
    take(api.GET('/devices/{device_id}/checks', { params: { path, query: { Limit: shownChecks } } })),
    take(api.GET('/alerts', { params: { query: { Device: [device_id], Limit: 10 } } })),
  ]);
  return { device, etag, checks, alerts };
}

/** The traced paths to the device, newest first. */
export function readPaths(device_id: string): Promise<readonly Schemas['KeptTraceroute'][]> {
  return take(
    api.GET('/devices/{device_id}/traceroutes', { params: { path: { device_id }, query: { Limit: 50 } } }),
  );
}

/** The diagnostics of one check. */
export function readExtended(check_id: string): Promise<Schemas['CheckExtended']> {
  return take(api.GET('/checks/{check_id}/extended', { params: { path: { check_id } } }));
}
