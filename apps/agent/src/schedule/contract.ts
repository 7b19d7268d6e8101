import type { Assignment, RunRequest } from '@vantage/proto';

/** The devices that this agent checks, by the controller's assignments and run requests. */
export interface ScheduleTable {
  /** Devices that are assigned, or checked by a run request now. */
  readonly size: number;
  /** Replaces all assignments. Returns why some of them were refused. */
  replace(assignments: readonly Assignment[]): readonly string[];
  /** Adds, changes and removes assignments. Returns why some of them were refused. */
  change(upserts: readonly Assignment[], removedDeviceNos: readonly number[]): readonly string[];
  /** Applies a run request; one that comes again after a reconnect is ignored. */
  runRequest(runRequest: RunRequest): void;
  /** Asks for one check now, beside the regular ones. False: the device is not assigned. */
  runNow(deviceNo: number): boolean;
  /** Checks these devices within a minute, spread by their schedule offsets, where they are due later than that. */
  runSoon(deviceNos: readonly number[]): void;
}

/** Starts every check when it is due, never two of one device at once, never more than the limit. */
export interface Scheduler {
  /** The corrected clock was set by this much, microseconds. */
  clockStepped(byUs: number): void;
  /** The host slept or this process stood still for so long. The checks that fell due in a long gap are skipped. */
  gapEnded(lengthMs: number): void;
  /** Oldest due time that waits to be started, corrected microseconds. */
  waitingUs(): number | undefined;
  /** Starts the schedule. Before, nothing is due. */
  start(): void;
  /** Starts nothing more; resolves when nothing runs. Checks that are cut short give no results. */
  stop(): Promise<void>;
}
