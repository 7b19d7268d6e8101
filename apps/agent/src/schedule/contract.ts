import type { Assignment, RunRequest } from '@vantage/proto';

/** Starts every check when it is due, never two of one device at once, never more than the limit. */
export interface Scheduler {
  /** All that is to be watched; what is not named is dropped. Returns why some were refused. */
  replace(assignments: readonly Assignment[]): readonly string[];
  change(upserts: readonly Assignment[], removedDeviceNos: readonly number[]): readonly string[];
  runRequest(runRequest: RunRequest): void;
  /** One check beside the standing ones, now; false: the device is not watched. */
  runNow(deviceNo: number): boolean;
  /** Turns of these devices that are far off come within a minute, spread by their phases. */
  runSoon(deviceNos: readonly number[]): void;
  /** The corrected clock was put right by this much, microseconds. */
  clockStepped(byUs: number): void;
  /** The host slept or this process stood still for so long: what fell due in a long gap is skipped. */
  gapEnded(lengthMs: number): void;
  /** Oldest due time that waits to be started, corrected microseconds. */
  waitingUs(): number | undefined;
  /** Starts looking. Before, nothing is due. */
  start(): void;
  /** Starts nothing more; resolves when nothing runs. Checks cut short are not results. */
  stop(): Promise<void>;
  readonly running: number;
}
