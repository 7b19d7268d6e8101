import type { NetworkInterfaceInfo } from 'node:os';
import { resultCode } from '@vantage/domain';
import {
  type Clock,
  createNetworkSet,
  declareState,
  isNetwork,
  type NetworkSet,
  remembered,
} from '@vantage/kernel';
import type { Measurement } from '@vantage/probes';

/** Says whether an address lies in one of this host's own subnets (or is itself this host's). */
export type OwnNetworks = NetworkSet;

/** Reads the subnets out of `os.networkInterfaces()`. */
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

/** Interfaces come and go, but not with every check. */
const networksForMs = 10_000;
/** Addresses of which it is known whether they are this host's: each check asks, and reading an address is dear. */
const mostKnown = 10_000;

const tracked = declareState({
  name: 'own_network_answers',
  entries: mostKnown,
  entryBytes: 150,
  filledBy: 'addresses of targets',
  atBound: 'all are forgotten and computed again',
});

/** Own subnets, read again every 10 s at most. */
export function cachedOwnNetworks(deps: {
  readonly clock: Clock;
  readonly interfaces: () => Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;
}): () => OwnNetworks {
  let known: { readonly own: OwnNetworks; readonly subnets: string } | undefined;
  let readMs = Number.NEGATIVE_INFINITY;
  return () => {
    const nowMs = deps.clock.monoMs();
    if (known !== undefined && nowMs - readMs <= networksForMs) return known.own;
    readMs = nowMs;
    const subnets = subnetsOf(deps.interfaces());
    const text = subnets.join(' ');
    if (known?.subnets !== text) {
      const answers = tracked(new Map<string, { answer: boolean }>());
      known = { own: remembered(answers, mostKnown, createNetworkSet(subnets)), subnets: text };
    }
    return known.own;
  };
}

/** Whether a check's target lies beyond this host's own subnets. A target of unknown address does. */
export function isRemote({ peers }: Pick<Measurement, 'peers'>, own: OwnNetworks): boolean {
  return peers.length === 0 || !peers.every(({ address }) => own(address));
}

/**
 * Decides what a check proves about the path to its target: `answered` when bytes of it came back, `silent` when a dead
 * uplink gives the same result, `nothing` when the check sent nothing. A refused connection counts as silent, because a
 * router may refuse in the target's name.
 */
export function reachability(measurement: Measurement): 'answered' | 'silent' | 'nothing' {
  switch (measurement.code) {
    case resultCode.ok:
    case resultCode.tls:
    case resultCode.expectation:
    case resultCode.login:
      return 'answered';
    case resultCode.protocol:
      return measurement.dataSize > 0 ? 'answered' : 'silent';
    case resultCode.timeout:
    case resultCode.script:
    case resultCode.name:
      return 'silent';
    case resultCode.policy:
    case resultCode.agent:
      return 'nothing';
  }
}

/** The measurement of a check behind a silent anchor. It proves nothing about the device. */
export function asBehindAnchor(
  measurement: Measurement,
  anchor: { readonly name: string; readonly target: string },
): Measurement {
  return {
    ...measurement,
    code: resultCode.agent,
    text: `anchor ${anchor.name} (${anchor.target}) does not answer, and this device lies behind it (this check: ${measurement.text})`,
    slow: false,
    behindAnchor: true,
  };
}

/**
 * The measurement of a check that did not reach its target because the uplink was dead. It proves nothing about the
 * device.
 */
export function asUplinkDead(measurement: Measurement): Measurement {
  return {
    ...measurement,
    code: resultCode.agent,
    text: `uplink dead: neither the controller nor any target beyond this agent's own networks answered (this check: ${measurement.text})`,
    slow: false,
  };
}
