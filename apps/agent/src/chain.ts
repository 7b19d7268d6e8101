/** Retry rules of a device. */
export interface ChainRules {
  readonly retries: number;
  readonly retryDelayMs: number;
  readonly timeoutMs: number;
  /** Nobody else observes the device: the agent retries by itself. Else it waits for the controller's word. */
  readonly runsChain: boolean;
  /** How long after RetryDelay the agent waits for that word, milliseconds. */
  readonly graceMs: number;
}

/*
 *   phase      | good  | error of a turn                   | error of retry k        | 9, 10 | Retry ordered | taken elsewhere
 *   none       | none  | open k=1, or over if Retries is 0 | open k+1, or over       | none  | open k        | elsewhere
 *   open       | none  | open (the chain goes on)          | open k+1, or over       | none  | open k        | elsewhere
 *   elsewhere  | none  | elsewhere; past its time as none  | open k+1, or over       | none  | open k        | elsewhere
 *   over       | none  | over                              | open k+1, or over       | over  | open k        | over
 */
/** Where a device stands between its answers. */
export type ChainPhase =
  | { readonly kind: 'none' }
  /** Retry `k` starts at `dueUs`; `orderId` is empty when nobody ordered it. */
  | {
      readonly kind: 'open';
      readonly chainId: string;
      readonly k: number;
      readonly dueUs: number;
      readonly orderId: string;
    }
  /** Another vantage retries; ordinary turns go on here. */
  | { readonly kind: 'elsewhere'; readonly untilUs: number }
  /** All retries failed; no chain again before a good answer. */
  | { readonly kind: 'over' };

/** A device's chain. `last` is the newest retry begun here, so that an order for one already done is known. */
export interface Chain {
  readonly phase: ChainPhase;
  readonly last: { readonly chainId: string; readonly k: number } | undefined;
}

/** A check that ended. */
export interface ChainAnswer {
  /** ResultCode. */
  readonly code: number;
  /** 0 for an ordinary turn, else the k of the retry. */
  readonly attempt: number;
  readonly chainId: string;
  readonly endUs: number;
}

/** The chain of a device that nothing is known of. */
export const noChain: Chain = { phase: { kind: 'none' }, last: undefined };

/** The chain after an answer, and the chain id that the answer's record carries. */
export function afterAnswer(
  chain: Chain,
  answer: ChainAnswer,
  rules: ChainRules,
  newId: () => string,
): { readonly chain: Chain; readonly chainId: string } {
  const stays = { chain, chainId: answer.chainId };
  const enters = (phase: ChainPhase) => ({ chain: { ...chain, phase }, chainId: answer.chainId });
  switch (meaningOf(answer.code)) {
    case 'good':
      return enters({ kind: 'none' });
    case 'abstains':
      return chain.phase.kind === 'over' ? stays : enters({ kind: 'none' });
    case 'error': {
      if (answer.attempt > 0) return enters(afterFailedRetry(answer, rules));
      if (!mayOpen(chain.phase, answer.endUs)) return stays;
      if (rules.retries === 0) return enters({ kind: 'over' });
      const chainId = newId();
      const phase = openPhase(chainId, 1, answer.endUs, rules);
      return { chain: { phase, last: { chainId, k: 0 } }, chainId };
    }
  }
}

/** Whether an answer took the chain from none to its first error. */
export function beginsTrouble(before: Chain, after: Chain): boolean {
  const isQuiet = ({ phase }: Chain) => phase.kind === 'none' || phase.kind === 'elsewhere';
  return isQuiet(before) && !isQuiet(after);
}

/** The chain after a retry was begun. */
export function afterRetryBegan(chain: Chain, chainId: string, k: number): Chain {
  return { ...chain, last: { chainId, k } };
}

/** The controller's word on a chain: run retry k. Undefined: it comes too late, that retry was done. */
export function afterRetryOrder(
  chain: Chain,
  order: {
    readonly orderId: string;
    readonly chainId: string;
    readonly attempt: number;
    readonly atUs: number;
  },
): Chain | undefined {
  const { last, phase } = chain;
  const concerns = last !== undefined && (last.chainId === order.chainId || phase.kind === 'open');
  if (concerns && order.attempt <= last.k) return undefined;
  return {
    phase: {
      kind: 'open',
      chainId: order.chainId,
      k: order.attempt,
      dueUs: order.atUs,
      orderId: order.orderId,
    },
    last: { chainId: order.chainId, k: order.attempt - 1 },
  };
}

/** The controller's word on a chain: another vantage looks after it. */
export function afterTaken(chain: Chain, nowUs: number, rules: ChainRules): Chain {
  if (chain.phase.kind === 'over') return chain;
  const wholeMs = (rules.retries + 1) * (rules.retryDelayMs + rules.timeoutMs) + rules.graceMs;
  return { ...chain, phase: { kind: 'elsewhere', untilUs: nowUs + wholeMs * 1000 } };
}

/**
 * The chain after a result that stands on disk, read from its record alone: an error of an ordinary turn carries a chain id only
 * where it opened a chain. The same results in their order lead to the same chain, from wherever it stood before.
 */
export function afterRecorded(chain: Chain, answer: ChainAnswer, rules: ChainRules): Chain {
  const { attempt, chainId, endUs } = answer;
  if (attempt > 0) {
    return afterAnswer(afterRetryBegan(chain, chainId, attempt), answer, rules, () => chainId).chain;
  }
  if (meaningOf(answer.code) !== 'error') return afterAnswer(chain, answer, rules, () => chainId).chain;
  if (chainId === '') return chain;
  return { phase: openPhase(chainId, 1, endUs, rules), last: { chainId, k: 0 } };
}

/** A kept chain to go on with at `nowUs`: a retry that is overdue runs now, and none waits longer than it would have to. */
export function resumed(chain: Chain, rules: ChainRules, nowUs: number): Chain {
  const { phase } = chain;
  if (phase.kind !== 'open') return chain;
  const latestUs = nowUs + (rules.retryDelayMs + rules.graceMs) * 1000;
  return { ...chain, phase: { ...phase, dueUs: Math.min(Math.max(phase.dueUs, nowUs), latestUs) } };
}

/** What a ResultCode says about the device. */
export function meaningOf(code: number): 'good' | 'error' | 'abstains' {
  if (code === 1) return 'good';
  return code === 9 || code === 10 ? 'abstains' : 'error';
}

function mayOpen(phase: ChainPhase, nowUs: number): boolean {
  switch (phase.kind) {
    case 'none':
      return true;
    case 'elsewhere':
      return nowUs >= phase.untilUs;
    case 'open':
    case 'over':
      return false;
  }
}

function afterFailedRetry(answer: ChainAnswer, rules: ChainRules): ChainPhase {
  if (answer.attempt >= rules.retries) return { kind: 'over' };
  return openPhase(answer.chainId, answer.attempt + 1, answer.endUs, rules);
}

function openPhase(chainId: string, k: number, endUs: number, rules: ChainRules): ChainPhase {
  const waitMs = rules.retryDelayMs + (rules.runsChain ? 0 : rules.graceMs);
  return { kind: 'open', chainId, k, dueUs: endUs + waitMs * 1000, orderId: '' };
}
