import type { Json, Method } from '@vantage/domain';
import type { Finding } from '../found.ts';

/** A device as the API's `GET` returns it, as far as other tools have a place for it. */
export interface ExportedDevice {
  readonly device_id: string;
  readonly Method: Method;
  readonly URL: string;
  readonly ShortName: string;
  readonly FullName: string | null;
  readonly ExternalKey: string | null;
  readonly Frequency: number;
  readonly FrequencySeconds: number | null;
  readonly Timeout: number;
  readonly Attempts: number;
  readonly RetryDelay: number;
  readonly Enabled: boolean;
  readonly Severity: string;
  readonly device_master_id: string | null;
  readonly Tags: readonly { readonly Name: string }[];
  readonly Options: { readonly [key: string]: Json };
}

/** A file for another tool, and what it has no place for. */
export interface Exported {
  readonly text: string;
  readonly lost: readonly Finding[];
}

/** The name of a device for people. */
export function nameOf(device: ExportedDevice): string {
  return device.FullName ?? device.ShortName;
}
