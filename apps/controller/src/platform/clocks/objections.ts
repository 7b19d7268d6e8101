import { dayMs } from '@vantage/domain';
import { isNear } from './classify-clock.ts';

/** The clocks of one account's agents. */
export interface AccountOffset {
  readonly accountNo: number;
  /** The median of its agents' clocks minus the controller's, microseconds. */
  readonly aheadUs: number;
}

/** When an account began to disagree, and when it did so last; monotonic milliseconds. By account. */
export type Objections = ReadonlyMap<number, { readonly fromMs: number; readonly lastMs: number }>;

/** So long the disagreement of fewer than half of the accounts counts, and so long it must then have agreed. */
const heardMs = dayMs;

/**
 * The offsets that count. More than half of the accounts that have agents here are always heard. Fewer are heard for a
 * day, so that no single account keeps the data of all from being deleted; each is heard again after a day in which its
 * clocks agreed. `isMajority`: more than half object. Pure.
 */
export function heardAccounts(
  before: Objections,
  {
    accounts,
    accountsInAll,
    nowMs,
  }: {
    readonly accounts: readonly AccountOffset[];
    /** Accounts with agents at this controller, also those whose agents all run on its own machine. */
    readonly accountsInAll: number;
    readonly nowMs: number;
  },
): {
  readonly objections: Objections;
  readonly heard: readonly AccountOffset[];
  readonly isMajority: boolean;
} {
  const objections = new Map([...before].filter(([, { lastMs }]) => nowMs - lastMs < heardMs));
  const objecting = accounts.filter(({ aheadUs }) => !isNear(aheadUs));
  for (const { accountNo } of objecting)
    objections.set(accountNo, { fromMs: objections.get(accountNo)?.fromMs ?? nowMs, lastMs: nowMs });
  const isMajority = objecting.length * 2 > accountsInAll;
  if (isMajority) return { objections, heard: accounts, isMajority };
  const isHeard = ({ accountNo, aheadUs }: AccountOffset) =>
    isNear(aheadUs) || nowMs - (objections.get(accountNo)?.fromMs ?? nowMs) < heardMs;
  return { objections, heard: accounts.filter(isHeard), isMajority };
}
