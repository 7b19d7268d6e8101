import { isIP } from 'node:net';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import { resultCode } from '@vantage/domain';
import type { Address } from '../contract/dial.ts';
import { Failure } from '../contract/failure.ts';

type Interfaces = NodeJS.Dict<readonly Pick<NetworkInterfaceInfo, 'address' | 'family' | 'scopeid'>[]>;

/**
 * Chooses the address of this host for each address of the target, as `SourceAddress` says: an address, or the name of
 * an interface (its first address of the family that is not link-local; link-local for a link-local target). Addresses
 * of a family that the source does not have are left out. Throws Failure 10 if nothing is left.
 */
export function withSource(
  targets: readonly Address[],
  source: string,
  interfaces: Interfaces = networkInterfaces(),
): readonly Address[] {
  const own = isIP(source) === 0 ? namedInterface(source, interfaces) : ownAddress(source, interfaces);
  const usable = targets.flatMap((target) => {
    const isLocal = isLinkLocal(target.address);
    const chosen = own.find(
      ({ address, family }) =>
        family === `IPv${target.family}` && (isIP(source) !== 0 || isLinkLocal(address) === isLocal),
    );
    if (chosen === undefined) return [];
    return [{ ...target, source: isLinkLocal(chosen.address) ? zoned(chosen) : chosen.address }];
  });
  if (usable.length > 0) return usable;
  const families = [...new Set(targets.map(({ family }) => `IPv${family}`))].join(' and ');
  throw new Failure(
    resultCode.agent,
    `SourceAddress ${source} of this agent's host has no ${families} address, which the target needs`,
  );
}

function namedInterface(name: string, interfaces: Interfaces) {
  const own = interfaces[name];
  if (own !== undefined) return own;
  const known = Object.keys(interfaces).slice(0, 20).join(', ');
  throw new Failure(
    resultCode.agent,
    `this agent's host has no interface ${name} (SourceAddress) that is up; it has ${known}`,
  );
}

function ownAddress(source: string, interfaces: Interfaces) {
  const bare = canonical(source);
  const own = Object.values(interfaces)
    .flatMap((each) => each ?? [])
    .find(({ address }) => canonical(address) === bare);
  // All of 127.0.0.0/8 belongs to the host.
  if (own === undefined && source.startsWith('127.')) return [{ address: source, family: 'IPv4' as const }];
  if (own !== undefined) return [own];
  throw new Failure(
    resultCode.agent,
    `this agent's host does not have the address ${source} (SourceAddress) on an interface that is up`,
  );
}

function canonical(address: string): string {
  const bare = address.replace(/%.*$/, '').toLowerCase();
  return bare.includes(':') ? new URL(`http://[${bare}]/`).hostname : bare;
}

const isLinkLocal = (address: string) => /^fe[89ab][0-9a-f]:/i.test(address);

function zoned({
  address,
  scopeid,
}: {
  readonly address: string;
  readonly scopeid?: number | undefined;
}): string {
  return scopeid === undefined || scopeid === 0 ? address : `${address}%${scopeid}`;
}
