import { declareState, normalAddress } from '@vantage/kernel';
import { methodOf, probeFor } from '@vantage/probes';
import type { Assignment } from '@vantage/proto';

/** The devices of this agent by their addresses. */
export interface DeviceAddresses {
  /** A check of the device used or tried these addresses. */
  checked(deviceNo: number, addresses: readonly string[]): void;
  /** The devices at an address: those of the Method SNMP, or else all others; at most `maxDevices`. */
  devicesAt(address: string): readonly Assignment[];
}

/** More devices of one address share a host, so one check of a few of them shows its state. */
const maxDevices = 4;
/** The table of addresses is created again after this time, because checks found other addresses. */
const maxAgeMs = 10_000;

const tracked = declareState({
  name: 'device_addresses',
  entries: { each: 'device' },
  entryBytes: 300,
  filledBy: 'devices, where the policy lets the agent receive traps or syslog',
  atBound: 'a device that is no longer assigned is forgotten',
});

/**
 * Finds devices by address: that of their URL, or those at which their last check found the host. The table is
 * created when a notice arrives.
 */
export function createDeviceAddresses({
  assignments,
  monoMs,
}: {
  readonly assignments: () => ReadonlyMap<number, Assignment>;
  readonly monoMs: () => number;
}): DeviceAddresses {
  /** Of devices whose URL has a name. Devices that are no longer assigned are dropped with the next table. */
  const resolved = tracked(new Map<number, readonly string[]>());
  let table = new Map<string, Assignment[]>();
  let madeMs = Number.NEGATIVE_INFINITY;
  const make = () => {
    const all = assignments();
    for (const deviceNo of resolved.keys()) if (!all.has(deviceNo)) resolved.delete(deviceNo);
    table = new Map();
    for (const assignment of all.values())
      for (const address of new Set([hostOf(assignment), ...(resolved.get(assignment.deviceNo) ?? [])])) {
        const devices = table.get(address) ?? [];
        table.set(address, devices);
        devices.push(assignment);
      }
    madeMs = monoMs();
  };
  return {
    checked(deviceNo, addresses) {
      if (addresses.length > 0 && assignments().has(deviceNo))
        resolved.set(deviceNo, addresses.slice(0, maxDevices).map(normalAddress));
    },
    devicesAt(address) {
      if (monoMs() - madeMs > maxAgeMs) make();
      const devices = table.get(normalAddress(address)) ?? [];
      const bySnmp = devices.filter(({ spec }) => spec !== undefined && methodOf(spec) === 'SNMP');
      const chosen = bySnmp.length > 0 ? bySnmp : devices;
      return chosen.slice(0, maxDevices).flatMap(({ deviceNo }) => assignments().get(deviceNo) ?? []);
    },
  };
}

/** The host of a device's URL as an address; '' for a script. A name is no address, so it matches none. */
function hostOf({ spec }: Assignment): string {
  const method = spec === undefined ? undefined : methodOf(spec);
  const probe = method === undefined ? undefined : probeFor(method);
  const found = spec === undefined ? undefined : probe?.parseTarget(spec.url);
  return found?.ok === true ? normalAddress(found.target.host) : '';
}
