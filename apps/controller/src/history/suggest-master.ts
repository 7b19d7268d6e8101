/** The routers on the way to a device, as one failed check found them. */
export interface TracedWay {
  readonly locationNo: number;
  /** By distance, nearest to the agent first; null: this one did not answer. */
  readonly hops: readonly (string | null)[];
}

/** A device of the account that can be a master. */
export interface Candidate {
  readonly deviceId: string;
  readonly name: string;
  /** It answers to pings: of several devices with one address the one that says most about the host itself. */
  readonly isPing: boolean;
  /** Addresses that its newest check used. */
  readonly addresses: readonly string[];
}

/** The master that the ways suggest, or why there is none. */
export type Suggestion =
  | { readonly kind: 'master'; readonly candidate: Candidate; readonly address: string }
  | { readonly kind: 'none'; readonly reason: string };

/**
 * The device's nearest hop that is itself a device of the account. A way that ends early says only what lies before its end, therefore of
 * each Location the longest match counts. Where Locations reach the device by different routers, no single device is before it. Pure.
 */
export function suggestMaster(
  ways: readonly TracedWay[],
  candidates: readonly Candidate[],
  ownAddresses: ReadonlySet<string>,
): Suggestion {
  if (ways.length === 0)
    return { kind: 'none', reason: 'no failed check of the last 30 days has a traceroute' };
  const byAddress = new Map<string, Candidate>();
  for (const candidate of candidates)
    for (const address of candidate.addresses) {
      const present = byAddress.get(address);
      if (present === undefined || (candidate.isPing && !present.isPing)) byAddress.set(address, candidate);
    }
  const matches = [...Map.groupBy(ways, ({ locationNo }) => locationNo).values()].map((of) =>
    of
      .map(({ hops }) => nearest(hops, byAddress, ownAddresses))
      .reduce((best, one) => (one.distance > best.distance ? one : best)),
  );
  const [first] = matches;
  if (first?.candidate === undefined || matches.some(({ candidate }) => candidate === undefined))
    return { kind: 'none', reason: 'no router on the way is a device of this account' };
  const { candidate, address } = first;
  if (matches.some((one) => one.candidate?.deviceId !== candidate.deviceId))
    return { kind: 'none', reason: 'its Locations reach it by different routers' };
  return { kind: 'master', candidate, address };
}

function nearest(
  hops: readonly (string | null)[],
  byAddress: ReadonlyMap<string, Candidate>,
  own: ReadonlySet<string>,
): { readonly distance: number; readonly candidate: Candidate | undefined; readonly address: string } {
  for (let place = hops.length - 1; place >= 0; place -= 1) {
    const address = hops[place] ?? '';
    const candidate = own.has(address) ? undefined : byAddress.get(address);
    if (candidate !== undefined) return { distance: place, candidate, address };
  }
  return { distance: -1, candidate: undefined, address: '' };
}
