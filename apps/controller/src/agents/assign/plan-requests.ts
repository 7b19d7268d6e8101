import type { Clock } from '@vantage/kernel';
import { declareState } from '@vantage/kernel';

/** The Locations that must be planned again, from the catalog's notifications. */
export interface PlanRequests {
  /** Requests these Locations; all of them when notifications were lost. */
  add(locationNos: readonly number[] | 'all'): void;
  /** Whether all Locations are requested. */
  readonly isForAll: boolean;
  /** The Locations that are requested one by one. */
  readonly locationNos: readonly number[];
  /** Takes all requests out, for one round of planning. */
  take(): RequestRound;
}

/** The requests of one round. */
interface RequestRound {
  includes(locationNo: number): boolean;
  /**
   * Another controller plans this Location: its request stays until that controller surely planned it, or its lease is
   * over.
   */
  keep(locationNo: number): void;
  /** The round failed: all its requests stay. */
  putBack(): void;
}

const tracked = declareState({
  name: 'plan_requests',
  entries: { each: 'Location' },
  entryBytes: 100,
  filledBy: 'changes of devices and agents',
  atBound: 'the limit of Locations of an account',
});

/**
 * Creates the requests: at first all Locations are requested. A request for another controller's Location stays for
 * `keepMs`.
 */
export function createPlanRequests({
  clock,
  keepMs,
}: {
  readonly clock: Clock;
  readonly keepMs: number;
}): PlanRequests {
  /** Until when (monotonic) each request stays. */
  const untilMs = tracked(new Map<number, number>());
  let isForAll = true;
  return {
    add(locationNos) {
      if (locationNos === 'all') isForAll = true;
      else for (const no of locationNos) untilMs.set(no, clock.monoMs() + keepMs);
    },
    get isForAll() {
      return isForAll;
    },
    get locationNos() {
      return [...untilMs.keys()];
    },
    take() {
      const taken = new Map(untilMs);
      const wasForAll = isForAll;
      untilMs.clear();
      isForAll = false;
      return {
        includes: (locationNo) => wasForAll || taken.has(locationNo),
        keep(locationNo) {
          const until = taken.get(locationNo) ?? 0;
          if (until > clock.monoMs()) untilMs.set(locationNo, until);
        },
        putBack() {
          for (const [no, until] of taken) untilMs.set(no, until);
          isForAll ||= wasForAll;
        },
      };
    },
  };
}
