import type { NetworkInterfaceInfo } from 'node:os';
import {
  type Clock,
  createNetworkSet,
  declareState,
  isNetwork,
  type NetworkSet,
  remembered,
} from '@vantage/kernel';
import type { Measurement } from '@vantage/probes';

/** Whether an address is in one of this host's own subnets (or belongs to this host). */
export type OwnNetworks = NetworkSet;

/** The subnets in the result of `os.networkInterfaces()`. */
export function ownNetworksOf(
  interfaces: Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>,
): OwnNetworks {
  return createNetworkSet(subnetsOf(interfaces));
}

function subnetsOf(
  interfaces: Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>,
): readonly string[] {
  const subnets = Object.values(interfaces).flatMap((infos) =>
    (infos ?? []).flatMap(({ cidr }) => cidr ?? []),
  );
  return ['127.0.0.0/8', '::1', ...subnets.filter(isNetwork)];
}

/** Time for which the interfaces are not read again. */
const networksForMs = 10_000;

/** Addresses whose answer is remembered: each check needs it, and parsing an address is expensive. */
const maxRememberedAnswers = 10_000;

const tracked = declareState({
  name: 'own_network_answers',
  entries: maxRememberedAnswers,
  entryBytes: 150,
  filledBy: 'addresses of targets',
  atBound: 'all are forgotten and computed again',
});

/** Own subnets, read again at most every 10 s. */
export function cachedOwnNetworks(deps: {
  readonly clock: Clock;
  readonly interfaces: () => Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;
}): () => OwnNetworks {
  let known: { readonly ownNetworks: OwnNetworks; readonly subnets: string } | undefined;
  let readMs = Number.NEGATIVE_INFINITY;
  return () => {
    const nowMs = deps.clock.monoMs();
    if (known !== undefined && nowMs - readMs <= networksForMs) return known.ownNetworks;
    readMs = nowMs;
    const subnets = subnetsOf(deps.interfaces());
    const text = subnets.join(' ');
    if (known?.subnets !== text) {
      const answers = tracked(new Map<string, { answer: boolean }>());
      known = {
        ownNetworks: remembered(answers, maxRememberedAnswers, createNetworkSet(subnets)),
        subnets: text,
      };
    }
    return known.ownNetworks;
  };
}

/** Whether the target of a check is outside this host's own subnets. A target of unknown address is. */
export function isRemote({ peers }: Pick<Measurement, 'peers'>, ownNetworks: OwnNetworks): boolean {
  return peers.length === 0 || !peers.every(({ address }) => ownNetworks(address));
}
