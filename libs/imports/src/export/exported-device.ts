import type { Json, Method } from '@vantage/domain';
import type { ImportNote } from '../found-check.ts';

/** The fields of a device, as the API returns it, that exports use. */
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

/** A file for another tool, and the settings that its format cannot express. */
export interface ForeignFile {
  readonly text: string;
  readonly lost: readonly ImportNote[];
}

export function nameOf(device: ExportedDevice): string {
  return device.FullName ?? device.ShortName;
}
