/** The routers on the way to a device, as the traceroute after one check found them. */
export interface TracedWay {
  readonly locationNo: number;
  /** By distance, nearest to the agent first; null: this one did not answer. */
  readonly hops: readonly (string | null)[];
  /** The last hop is the device itself. */
  readonly isReached: boolean;
}

/** A device of the account that can be a master. */
export interface CandidateMaster {
  readonly deviceId: string;
  readonly name: string;
  /** It answers to pings: of several devices with one address the one that says most about the host itself. */
  readonly isPing: boolean;
  /** Addresses that its newest check used. */
  readonly addresses: readonly string[];
}

/** The master that the ways suggest, or why there is none. */
export type Suggestion =
  | {
      readonly kind: 'master';
      readonly candidate: CandidateMaster;
      readonly address: string;
      /** A way reached the device, and every hop behind the master answered: there is no nearer router. */
      readonly isComplete: boolean;
    }
  | { readonly kind: 'none'; readonly reason: string };

/**
 * The device's nearest hop that is itself a device of the account. A way that ends early says only what lies before its
 * end, therefore of each Location the longest match counts, and none where the way of another Location is complete.
 * Where Locations reach the device by different routers, no single device is before it. Pure.
 */
export function suggestMaster(
  ways: readonly TracedWay[],
  candidates: readonly CandidateMaster[],
  ownAddresses: ReadonlySet<string>,
): Suggestion {
  if (ways.length === 0) return { kind: 'none', reason: 'no check of the last 30 days has a traceroute' };
  const byAddress = new Map<string, CandidateMaster>();
  for (const candidate of candidates)
    for (const address of candidate.addresses) {
      const present = byAddress.get(address);
      if (present === undefined || (candidate.isPing && !present.isPing)) byAddress.set(address, candidate);
    }
  const longest = [...Map.groupBy(ways, ({ locationNo }) => locationNo).values()].map((of) =>
    of
      .map((way) => nearest(way, byAddress, ownAddresses))
      .reduce((best, one) => (isBetter(one, best) ? one : best)),
  );
  const complete = longest.filter(({ isComplete }) => isComplete);
  const matches = complete.length > 0 ? complete : longest;
  const [first] = matches;
  if (first?.candidate === undefined || matches.some(({ candidate }) => candidate === undefined))
    return { kind: 'none', reason: 'no router on the way is a device of this account' };
  const { candidate, address } = first;
  if (matches.some((one) => one.candidate?.deviceId !== candidate.deviceId))
    return { kind: 'none', reason: 'its Locations reach it by different routers' };
  return { kind: 'master', candidate, address, isComplete: complete.length > 0 };
}

/** The hop of a way that is a candidate; `distance` -1: there is none. `isComplete`: no nearer one can be missing. */
interface Match {
  readonly distance: number;
  readonly candidate: CandidateMaster | undefined;
  readonly address: string;
  readonly isComplete: boolean;
}

/** Of two matches at the same distance the complete one says more. */
function isBetter(match: Match, best: Match): boolean {
  return (
    match.distance > best.distance ||
    (match.distance === best.distance && match.isComplete && !best.isComplete)
  );
}

function nearest(
  { hops, isReached }: TracedWay,
  byAddress: ReadonlyMap<string, CandidateMaster>,
  own: ReadonlySet<string>,
): Match {
  for (let index = hops.length - 1; index >= 0; index -= 1) {
    const address = hops[index] ?? '';
    const candidate = own.has(address) ? undefined : byAddress.get(address);
    const isComplete = isReached && !hops.slice(index + 1).includes(null);
    if (candidate !== undefined) return { distance: index, candidate, address, isComplete };
  }
  const isComplete = isReached && !hops.includes(null);
  return { distance: -1, candidate: undefined, address: '', isComplete };
}
