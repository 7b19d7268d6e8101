import type { DeviceStatus } from '@vantage/domain';

/** The status of a check in another tool. */
export interface ReportedStatus {
  /** Texts that an import may have stored for the device: the ExternalKey, the address. */
  readonly ids: readonly string[];
  readonly name: string;
  readonly verdict: DeviceStatus;
  /** The last change, in milliseconds since 1970; undefined where the tool does not report it. */
  readonly sinceMs: number | undefined;
  /** The tool's reason, one line. */
  readonly why: string;
}

/** Milliseconds of a time; undefined where it is not a time. */
export function timeOf(text: string): number | undefined {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
