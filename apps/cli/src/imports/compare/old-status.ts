import type { DeviceStatus as Status } from '@vantage/domain';

/** The status that a tool reports for a check. */
export type Verdict = Status;

/** The status of one check in the other tool. */
export interface OldStatus {
  /** Identities under which an import wrote it: the ExternalKey, the address. */
  readonly ids: readonly string[];
  readonly name: string;
  readonly verdict: Verdict;
  /** Milliseconds since 1970; undefined: the tool does not tell. */
  readonly sinceMs: number | undefined;
  /** The tool's reason, one line. */
  readonly why: string;
}

/** A device as `GET /devices` lists it. */
export interface DeviceStatus {
  readonly device_id: string;
  readonly ShortName: string;
  readonly FullName: string | null;
  readonly ExternalKey: string | null;
  readonly URL: string;
  readonly Status: Verdict;
  readonly Enabled: boolean;
  readonly StatusSince: string;
  readonly LastCheckResult: string | null;
}
