import { secondUs } from '@vantage/domain';

/** An outage as users see it; times are microseconds since 1970. */
export interface OutageRow {
  readonly device_no: number;
  readonly device_id: string;
  readonly short_name: string;
  readonly full_name: string | null;
  /** The first error of the confirmed failure. */
  readonly from_us: number;
  /** The same, or the end of the maintenance that the first error fell into. */
  readonly start_us: number;
  /** The next Up; null while the outage is open. */
  readonly end_us: number | null;
  readonly location: string | null;
  readonly check_result: string | null;
  readonly check_id: string | null;
  /** An alert of it was acknowledged. */
  readonly acknowledged: boolean;
  /** Its latest alert. */
  readonly alert_id: string | null;
  /** Names of the Locations of its errors, sorted. */
  readonly locations: readonly string[];
  /** Devices that are reached through the device and were Down with it. */
  readonly behind: number;
  readonly note: string | null;
  readonly excluded: boolean;
}

/** The filters of a list of outages. */
interface OutageFilter {
  /** Outages of devices that have one of these tags now. */
  readonly deviceNos?: readonly number[] | undefined;
  readonly tagNos?: readonly number[] | undefined;
  /** Outages with an error from one of these Locations. */
  readonly locationNos?: readonly number[] | undefined;
  readonly methods?: readonly string[] | undefined;
  /** true: outages that have not ended; false: the others. */
  readonly isOpen?: boolean | undefined;
  /** Outages that lasted at least this long, maintenance at their begin left out. */
  readonly minSeconds?: number | undefined;
  /** The outage whose first error was then. */
  readonly firstErrorUs?: number | undefined;
}

/** The outages to list: those that overlap [fromUs, untilUs). */
export interface OutagePage extends OutageFilter {
  readonly fromUs: number | undefined;
  readonly untilUs: number | undefined;
  /** Outages that began before this one only. */
  readonly before: { readonly fromUs: number; readonly deviceNo: number } | undefined;
  readonly limit: number;
  readonly offset: number;
  readonly nowUs: number;
}

/** An interval that may begin an outage. */
export interface OutageStart {
  readonly device_no: number;
  readonly from_us: number;
}

export interface JudgedOutage extends OutageStart {
  readonly start_us: number;
  readonly end_us: number | null;
}

/** A failure is confirmed within this time: ten retries, each with the longest RetryDelay and Timeout. */
export const confirmedWithinUs = 10 * (300 + 120) * secondUs;
