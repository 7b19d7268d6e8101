import { isNear } from './clock-difference.ts';

/** The clocks of one account's agents. */
export interface AccountOffset {
  readonly accountNo: number;
  /** The median of its agents' clocks minus the controller's, microseconds. */
  readonly aheadUs: number;
}

/** The votes of the agents on other hosts about the controller's clock. */
export interface AgentsWord {
  /** Their clocks minus the controller's, microseconds; undefined: none, or no majority of accounts agrees. */
  readonly aheadUs: number | undefined;
  /** The accounts whose agents disagree with the controller. */
  readonly objectors: readonly number[];
  /** More than half of the accounts with agents at this controller disagree with it. */
  readonly isMajority: boolean;
}

/**
 * Each account has one vote, so that no account decides for all. `accountsInAll` counts also the accounts whose agents
 * all run on the controller's machine; their clocks prove nothing. Pure.
 */
export function agentsWord(accounts: readonly AccountOffset[], accountsInAll: number): AgentsWord {
  const objectors = accounts.filter(({ aheadUs }) => !isNear(aheadUs)).map(({ accountNo }) => accountNo);
  const sorted = accounts.map(({ aheadUs }) => aheadUs).sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)];
  const same = sorted.filter((us) => median !== undefined && sideOf(us) === sideOf(median)).length;
  return {
    aheadUs: same * 2 > sorted.length ? median : undefined,
    objectors,
    isMajority: objectors.length * 2 > accountsInAll,
  };
}

function sideOf(us: number): number {
  return isNear(us) ? 0 : Math.sign(us);
}
