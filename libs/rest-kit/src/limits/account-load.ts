import { createFairSemaphore, declareShare } from '@vantage/kernel';
import { tooMuch } from '../serve/problem.ts';
import type { Route } from '../serve/route.ts';

declareShare({
  name: 'reads_in_work',
  limit: '256 requests',
  filledBy: 'keys',
  share: '32 an account, 1,000 wait; the account with the fewest is next',
});
declareShare({
  name: 'reads_of_history_in_work',
  limit: '24 requests',
  filledBy: 'keys',
  share: '2 an account, 1,000 wait; the account with the fewest is next',
});
declareShare({
  name: 'wide_reads_in_work',
  limit: '3 requests',
  filledBy: 'keys',
  share: '1 an account, 1,000 wait; the account with the fewest is next',
});

/**
 * Reads of one account at one time, by what they cost, until their answers are made: many keys of an account are one
 * owner. Answers that wait for their reader count by key.
 */
export const accountSlots = {
  /** Pages and lists. */
  reads: { running: 256, perOwner: { running: 32, waiting: 1_000 } },
  /** Reads that go through all that was recorded, a part at a time. */
  history: { running: 24, perOwner: { running: 2, waiting: 1_000 } },
  /** Answers of many megabytes. */
  wide: { running: 3, perOwner: { running: 1, waiting: 1_000 } },
} as const;

/** A read of an account: its route and its query. */
interface AccountRead {
  readonly route: Pick<Route, 'readsHistory' | 'isWide'>;
  readonly query: URLSearchParams;
  readonly accountNo: number;
}

/** Bounds what accounts read at one time. Throws a Problem (1006) for what is too much. */
export interface AccountLoad {
  /** Runs a read when the account has a free slot. */
  run<T>(read: AccountRead, work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

/** Creates the load. */
export function createAccountLoad(): AccountLoad {
  const loads = {
    reads: createFairSemaphore<number>(accountSlots.reads),
    history: createFairSemaphore<number>(accountSlots.history),
    wide: createFairSemaphore<number>(accountSlots.wide),
  };
  return {
    async run({ route: { readsHistory, isWide = false }, query, accountNo }, work, signal) {
      const hasManyRows = typeof isWide === 'function' ? isWide(query) : isWide;
      const kind = hasManyRows ? 'wide' : readsHistory === true ? 'history' : 'reads';
      const done = await loads[kind].run(accountNo, work, signal);
      if (done === undefined) throw tooMuch('Too many reads of this account are waiting.');
      return done.value;
    },
  };
}
