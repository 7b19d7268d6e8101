import { declareState } from '@vantage/kernel';

/** A piece of work that waits for its turn. */
export interface Claim {
  readonly accountNo: number;
  readonly agentNo: number;
  /** The share of the capacity that it uses, at least 1. */
  readonly weight: number;
}

/**
 * The maximum of concurrent work. A claim that exceeds one of these limits never starts, so callers check first.
 */
export interface FairLimits {
  readonly inAll: number;
  readonly perAccount: number;
  readonly perAgent: number;
}

/**
 * Decides which work is next. Accounts take turns: an account that was served goes behind all others that wait. So a
 * claim waits behind at most one claim of each other account, however many claims those accounts have. Within an
 * account claims keep the order of arrival. Other claims may pass a claim that the limits of its own account or agent
 * hold back. No claim passes one that only waits for the total limit, so that heavy claims are served too.
 */
interface FairQueue<C extends Claim> {
  add(claim: C): void;
  /** The claims whose turn it is now; they are in work from here on. */
  start(): C[];
  /** The work has ended, or the claim is withdrawn before its turn. */
  remove(claim: C): void;
  readonly waiting: number;
}

const tracked = declareState({
  name: 'claims_in_work',
  entries: 1_024,
  entryBytes: 500,
  filledBy: 'agents',
  atBound: 'further claims wait',
});

/** Creates an empty queue. Pure: no clock, no promises. */
export function createFairQueue<C extends Claim>(limits: FairLimits): FairQueue<C> {
  // A Map keeps the order of insertion: the first account is the one whose turn is next.
  const waiting = new Map<number, C[]>();
  const inWork = tracked(new Set<C>());

  const used = (filter: (claim: C) => boolean) =>
    [...inWork].reduce((sum, claim) => (filter(claim) ? sum + claim.weight : sum), 0);
  const isHeldBack = (claim: C) =>
    used(({ accountNo }) => accountNo === claim.accountNo) + claim.weight > limits.perAccount ||
    used(({ agentNo }) => agentNo === claim.agentNo) + claim.weight > limits.perAgent;
  const next = (): C | undefined => {
    for (const claims of waiting.values()) {
      const heldAgents = new Set<number>();
      for (const claim of claims) {
        // The agent's own claims keep their order.
        if (heldAgents.has(claim.agentNo)) continue;
        if (!isHeldBack(claim)) return claim;
        heldAgents.add(claim.agentNo);
      }
    }
    return undefined;
  };
  const take = (claim: C) => {
    const claims = waiting.get(claim.accountNo) ?? [];
    waiting.delete(claim.accountNo);
    const rest = claims.filter((one) => one !== claim);
    if (rest.length > 0) waiting.set(claim.accountNo, rest);
  };

  return {
    add(claim) {
      const claims = waiting.get(claim.accountNo);
      if (claims) claims.push(claim);
      else waiting.set(claim.accountNo, [claim]);
    },
    start() {
      const started: C[] = [];
      while (true) {
        const claim = next();
        if (!claim || used(() => true) + claim.weight > limits.inAll) return started;
        take(claim);
        inWork.add(claim);
        started.push(claim);
      }
    },
    remove(claim) {
      if (inWork.delete(claim)) return;
      const claims = waiting.get(claim.accountNo);
      if (!claims) return;
      const rest = claims.filter((one) => one !== claim);
      // Modified in the queue, because an account that withdraws one claim keeps its turn.
      if (rest.length > 0) waiting.set(claim.accountNo, rest);
      else waiting.delete(claim.accountNo);
    },
    get waiting() {
      return [...waiting.values()].reduce((sum, claims) => sum + claims.length, 0);
    },
  };
}
