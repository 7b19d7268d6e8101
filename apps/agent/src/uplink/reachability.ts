import { isIP } from 'node:net';
import type { NetworkInterfaceInfo } from 'node:os';
import { resultCode } from '@vantage/domain';
import { type Clock, createNetworkSet, isNetwork, type NetworkSet } from '@vantage/kernel';
import type { Measurement } from '@vantage/probes';

/** Says whether an address lies in one of this host's own subnets (or is itself this host's). */
export type OwnNetworks = NetworkSet;

/** Reads the subnets out of `os.networkInterfaces()`. */
export function ownNetworksOf(
  interfaces: Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>,
): OwnNetworks {
  const subnets = Object.values(interfaces).flatMap((infos) =>
    (infos ?? []).flatMap(({ cidr }) => cidr ?? []),
  );
  return createNetworkSet(['127.0.0.0/8', '::1', ...subnets.filter(isNetwork)]);
}

/** Interfaces come and go, but not with every check. */
const networksForMs = 10_000;

/** Own subnets, read anew when what is known is 10 s old. */
export function cachedOwnNetworks(deps: {
  readonly clock: Clock;
  readonly interfaces: () => Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;
}): () => OwnNetworks {
  let known: { readonly own: OwnNetworks; readonly atMs: number } | undefined;
  return () => {
    const nowMs = deps.clock.monoMs();
    if (known === undefined || nowMs - known.atMs > networksForMs) {
      known = { own: ownNetworksOf(deps.interfaces()), atMs: nowMs };
    }
    return known.own;
  };
}

/** Whether the target of a check lies beyond this host's own subnets; one whose address is not known does. */
export function isRemote(measurement: Measurement, own: OwnNetworks): boolean {
  const shown = measurement.extended['Address'];
  if (typeof shown !== 'string' || shown === '') return true;
  return !shown.split(', ').every((peer) => own(addressOf(peer)));
}

/**
 * What a check says about the way to its target: `answered` when bytes of it came back, `silent` when a dead uplink looks
 * just the same, `nothing` when the check never went out. A refused connection is silent too: a router at the dead end may
 * refuse in the target's name.
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

/** The measurement of a check that a dead uplink kept from its target: it says nothing about the device. */
export function asUplinkDead(measurement: Measurement): Measurement {
  return {
    ...measurement,
    code: resultCode.agent,
    text: `uplink dead: neither the controller nor any target beyond this agent's own networks answered (this check: ${measurement.text})`,
    slow: false,
  };
}

/** `10.0.0.1:25`, `[2001:db8::1]:25` or a bare address, as probes show it. */
function addressOf(peer: string): string {
  if (isIP(peer) !== 0) return peer;
  const bracketed = /^\[(.+)\]:\d+$/.exec(peer);
  return bracketed?.[1] ?? peer.replace(/:\d+$/, '');
}
