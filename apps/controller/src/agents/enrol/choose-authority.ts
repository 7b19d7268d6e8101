import { dayMs } from '@vantage/domain';

/** The time of an authority, milliseconds since 1970, and whether its key can be opened. */
export interface AuthorityTimes {
  readonly fromMs: number;
  readonly toMs: number;
  readonly canSign: boolean;
}

/**
 * A controller creates a new authority when the newest one has less time left than this. Agents get it with their next
 * certificate, within a week.
 */
const makeBeforeMs = 180 * dayMs;

/** An authority with less left than this signs no more, when there is another one. */
const signBeforeMs = 90 * dayMs;

/** Whether a new authority is needed: none that can sign has enough time left. Pure. */
export function needsAuthority(all: readonly AuthorityTimes[], nowMs: number): boolean {
  return !all.some(({ canSign, toMs }) => canSign && toMs - nowMs > makeBeforeMs);
}

/**
 * The authority that signs. It is the preferred one, else the one that ends first, as long as it has enough time left:
 * agents that were away for months know the older ones only. When all end soon, the one that ends last signs.
 * Undefined: none can sign. Pure.
 */
export function chooseSigning<A extends AuthorityTimes>(
  all: readonly A[],
  { nowMs, isPreferred }: { readonly nowMs: number; readonly isPreferred: (authority: A) => boolean },
): A | undefined {
  const able = all.filter(({ canSign, toMs }) => canSign && toMs > nowMs).sort((a, b) => a.toMs - b.toMs);
  const lasting = able.filter(({ toMs }) => toMs - nowMs > signBeforeMs);
  return lasting.find(isPreferred) ?? lasting[0] ?? able.at(-1);
}
