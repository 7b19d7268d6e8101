/** The outcome of packets of one size that must not be fragmented. */
export type SizeAnswer =
  | { readonly kind: 'passed' }
  /** A router said so. `mtu` 0: it named no MTU. */
  | { readonly kind: 'too-big'; readonly from: string; readonly mtu: number }
  /** The interface of this host cannot send it. */
  | { readonly kind: 'unsent' }
  | { readonly kind: 'lost' };

/** The state of a search. Sizes are bytes of whole IP packets. */
export interface MtuSearch {
  /** The largest size that passed; undefined: none yet. */
  readonly passed: number | undefined;
  /** The smallest size that did not pass. */
  readonly failed: number;
  /** The smallest size to try. */
  readonly floor: number;
  /** The MTU that the last router named. */
  readonly named: number | undefined;
  /** Where `failed` did not pass: the address of a router, '' this host, undefined: no router says. */
  readonly hop: string | undefined;
  readonly tries: number;
}

/** The largest size that passes. */
export interface PathMtu {
  readonly mtu: number;
  readonly hop: string | undefined;
  /** The smallest size that did not pass, if the time ended before the search. */
  readonly below: number | undefined;
}

/** Bisecting 65,535 takes 16; the others are for routers that name an MTU. */
const maxTries = 28;

/** The start of a search, after packets of `size` did not pass. */
export function startMtuSearch(size: number, floor: number, answer: SizeAnswer): MtuSearch {
  const start = { passed: undefined, failed: size + 1, floor, named: undefined, hop: undefined, tries: 0 };
  return afterTry(start, size, answer);
}

/*
 *   answer                                   | then
 *   passed                                   | no smaller size is tried
 *   too big, names an MTU below the size     | this MTU is tried next; if it passes, the search has ended
 *   too big, names none or an absurd one     | bisected
 *   lost                                     | bisected; no router says which hop
 *   unsent                                   | bisected; the hop is this host
 */

/** The search after a try. Pure. */
export function afterTry(search: MtuSearch, size: number, answer: SizeAnswer): MtuSearch {
  const tries = search.tries + 1;
  if (answer.kind === 'passed') return { ...search, tries, passed: Math.max(search.passed ?? 0, size) };
  const failed = Math.min(search.failed, size);
  switch (answer.kind) {
    case 'too-big': {
      const { mtu, from } = answer;
      const isPossible = mtu < size && mtu >= search.floor && mtu > (search.passed ?? 0);
      return { ...search, tries, failed, named: isPossible ? mtu : undefined, hop: from };
    }
    case 'lost':
      return { ...search, tries, failed, named: undefined, hop: undefined };
    case 'unsent':
      return { ...search, tries, failed, named: undefined, hop: '' };
  }
}

/** The next size to try; undefined: the search has ended. Pure. */
export function nextSize({ passed, failed, floor, named, tries }: MtuSearch): number | undefined {
  if (tries >= maxTries) return undefined;
  if (passed === undefined) return named ?? (failed > floor ? floor : undefined);
  if (named !== undefined && passed === named) return undefined;
  if (named !== undefined && named > passed && named < failed) return named;
  return failed - passed <= 1 ? undefined : passed + Math.floor((failed - passed) / 2);
}

/** The result of a search; undefined: no size passed. Pure. */
export function foundMtu(search: MtuSearch): PathMtu | undefined {
  const { passed, failed, named, hop } = search;
  if (passed === undefined) return undefined;
  const isKnown = passed === named || failed - passed <= 1;
  return { mtu: passed, hop, below: isKnown ? undefined : failed };
}
