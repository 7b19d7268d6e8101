import type { Json, Method } from '@vantage/domain';
import { stringify } from 'yaml';

/** A device of an apply file, by the API's field names. `Key` is the ExternalKey, also that of `device_master_id`. */
export interface FileDevice {
  readonly Key: string;
  readonly Method: Method;
  readonly URL: string;
  readonly ShortName: string;
  readonly FullName?: string | undefined;
  readonly Frequency?: number | undefined;
  readonly FrequencySeconds?: number | undefined;
  readonly Timeout?: number | undefined;
  readonly Attempts?: number | undefined;
  readonly RetryDelay?: number | undefined;
  readonly Severity?: string | undefined;
  readonly Enabled?: boolean | undefined;
  readonly device_master_id?: string | undefined;
  readonly Locations?: readonly string[] | undefined;
  readonly Tags?: readonly string[] | undefined;
  readonly Options?: Readonly<Record<string, Json>> | undefined;
}

export interface FileTag {
  readonly Key: string;
  readonly Name: string;
}

/** The parts of an apply file that an import writes. */
export interface ApplyFile {
  readonly source: string;
  readonly tags: readonly FileTag[];
  readonly devices: readonly FileDevice[];
}

/** The file as YAML. The same content gives the same text. */
export function writeApplyFile(file: ApplyFile): string {
  const parts: Record<string, unknown> = { source: file.source };
  if (file.tags.length > 0) parts['tags'] = file.tags;
  parts['devices'] = file.devices;
  return stringify(parts, { lineWidth: 0, aliasDuplicateObjects: false });
}
