import fc from 'fast-check';

/** A device in the API. */
export interface WorldDevice {
  readonly id: string;
  readonly shortName: string;
  readonly status: 'Up' | 'Down' | 'Maint' | 'Unknown';
  readonly sinceMs: number;
  readonly isEnabled: boolean;
  readonly isRetrying: boolean;
  readonly masterId: string | null;
  /** The result of its last check. */
  readonly lastResult: string;
  /** The starts of its outages in the last 24 hours. */
  readonly outages: readonly number[];
}

/** A Location in the API. */
interface WorldLocation {
  readonly id: string;
  readonly name: string;
  readonly isOnline: boolean;
}

/** An alert that is not closed. */
export interface WorldAlert {
  readonly id: string;
  readonly kind: string;
  readonly deviceId: string | null;
  readonly locationId: string | null;
  readonly state: 'Open' | 'Acknowledged' | 'Snoozed';
  readonly isSuppressed: boolean;
  readonly openedMs: number;
  readonly result: string | null;
  readonly delivered: number;
}

/** An account at a moment, and the clock of the browser that shows it. */
export interface AccountFixture {
  readonly accountId: string;
  readonly serverMs: number;
  /** The offset of the browser's clock from the server's. */
  readonly skewMs: number;
  /** In the order of creation. */
  readonly devices: readonly WorldDevice[];
  readonly locations: readonly WorldLocation[];
  readonly agents: readonly string[];
  /** The last opened first. */
  readonly alerts: readonly WorldAlert[];
}

/** Numbers from [0, 1) that follow from a seed (mulberry32): fast-check itself is slow for thousands of objects. */
function numbersFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const idOf = (kind: string, n: number) => `${kind}${n.toString(16).padStart(47, '0')}`;

/** The size of an account, and its troubles. */
interface WorldPlan {
  readonly seed: number;
  readonly devices: number;
  readonly locations: number;
  /** Locations that are offline, of 1. */
  readonly offline: number;
  readonly agents: number;
  /** Devices that are Down by themselves. */
  readonly causes: number;
  /** Devices that are Down because of the first cause. */
  readonly behind: number;
  /** The first cause is in maintenance and fails, so that the devices behind it are Down by themselves. */
  readonly isMasterInMaintenance: boolean;
  /** Devices of each other kind of trouble. */
  readonly others: number;
  /** Alerts of Vantage itself. */
  readonly own: number;
  /** The share of alerts that are acknowledged or snoozed. */
  readonly handled: number;
  readonly skewMs: number;
}

const maxAlerts = 2_000;
const few = fc.integer({ min: 0, max: 3 });
const share = fc.constantFrom(0, 0, 0.1, 0.5, 1);

const plan: fc.Arbitrary<WorldPlan> = fc.record({
  seed: fc.nat(),
  devices: fc.oneof(fc.nat(5), fc.nat(300), fc.nat(5_000)),
  locations: fc.oneof(fc.nat(3), fc.nat(150), fc.nat(1_000)),
  offline: share,
  agents: fc.oneof(fc.nat(3), fc.nat(300)),
  causes: fc.oneof(few, fc.nat(40), fc.nat(300)),
  behind: fc.oneof(few, fc.integer({ min: 95, max: 400 }), fc.nat(1_500)),
  isMasterInMaintenance: fc.nat(5).map((n) => n === 0),
  others: fc.oneof(fc.constant(0), few, fc.nat(120)),
  own: few,
  handled: share,
  skewMs: fc.constantFrom(-hourMs, -10 * minuteMs, -5_000, 0, 0, 1_500, 10 * minuteMs, hourMs),
});

/** Accounts of any size, the larger ones with many troubles. */
export const anyWorld: fc.Arbitrary<AccountFixture> = fc
  .tuple(plan, fc.nat(2))
  // Without a device that is Down, the page shows more of the other troubles.
  .map(([base, n]) => worldOf(n === 0 ? { ...base, causes: 0, behind: 0 } : base));

const calm: WorldPlan = {
  seed: 1,
  devices: 300,
  locations: 3,
  offline: 0,
  agents: 3,
  causes: 0,
  behind: 0,
  isMasterInMaintenance: false,
  others: 0,
  own: 0,
  handled: 0,
  skewMs: 0,
};

/** Accounts for which the page once showed something wrong. */
export const hardWorlds: readonly AccountFixture[] = [
  // Two masters are Down. Alerts of devices behind them are newer than theirs, and more than a page.
  worldOf({ ...calm, causes: 2, behind: 180 }),
  // A master in maintenance fails: everything behind it is Down by itself, and its alerts are suppressed.
  worldOf({ ...calm, causes: 1, behind: 250, isMasterInMaintenance: true }),
  // Only `local` is online, the last Location by name.
  worldOf({ ...calm, locations: 120, offline: 0.99, agents: 120 }),
  // Nothing is Down, but the disk of Vantage is nearly full.
  worldOf({ ...calm, own: 1 }),
  worldOf({ ...calm, others: 30, skewMs: -hourMs }),
];

function worldOf(account: WorldPlan): AccountFixture {
  const random = numbersFrom(account.seed);
  const serverMs = Date.UTC(2026, 10, 29, 11) + Math.floor(random() * hourMs);
  const locations = locationsOf(account, random);
  const devices = devicesOf(account, {
    random,
    serverMs,
    isBlind: locations.every(({ isOnline }) => !isOnline),
  });
  return {
    accountId: 'e'.repeat(48),
    serverMs,
    skewMs: account.skewMs,
    devices,
    locations,
    agents: Array.from({ length: account.agents }, (_, n) => idOf('a', n)),
    alerts: alertsOf(account, { random, serverMs, devices, locations }),
  };
}

/** The only one that is online may be the last by name, like `local`. */
function locationsOf({ locations, offline }: WorldPlan, random: () => number): readonly WorldLocation[] {
  return Array.from({ length: locations }, (_, n) => ({
    id: idOf('b', n),
    name: n === 0 ? 'local' : `Site ${String(n).padStart(4, '0')}`,
    isOnline: offline < 1 ? n === 0 || random() >= offline : locations > 1 && n === 0 && random() < 0.5,
  }));
}

function devicesOf(
  { devices, causes, behind, isMasterInMaintenance, others }: WorldPlan,
  { random, serverMs, isBlind }: { random: () => number; serverMs: number; isBlind: boolean },
): readonly WorldDevice[] {
  const kinds = ['retrying', 'unknown', 'maint', 'paused', 'troubled', 'troubled'] as const;
  const firstOther = causes + behind;
  return Array.from({ length: devices }, (_, n): WorldDevice => {
    const kind = others === 0 ? undefined : kinds[Math.floor((n - firstOther) / others)];
    const isInMaintenance = isMasterInMaintenance && n === 0;
    const isDown = n < firstOther && !isInMaintenance;
    const isBehind = isDown && n >= causes && causes > 0;
    const status = isDown
      ? 'Down'
      : isBlind || kind === 'unknown' || kind === 'paused'
        ? 'Unknown'
        : isInMaintenance || kind === 'maint'
          ? 'Maint'
          : 'Up';
    const sinceMs = serverMs - Math.floor(random() * (isDown ? 20 : 300) * hourMs) - 10_000;
    const times = kind === 'troubled' ? 1 + Math.floor(random() * 4) : 0;
    // Short outages that may fall into one part of 20 minutes.
    const firstMs = serverMs - hourMs - Math.floor(random() * 20 * hourMs);
    return {
      id: idOf('d', n),
      shortName: `d-${n}`,
      status,
      sinceMs,
      isEnabled: kind !== 'paused',
      isRetrying: status === 'Up' && kind === 'retrying',
      masterId: isBehind ? idOf('d', 0) : null,
      lastResult: `result ${n}`,
      outages: Array.from({ length: times }, (__, at) => firstMs + at * 2 * minuteMs),
    };
  });
}

function alertsOf(
  { own, handled, others }: WorldPlan,
  world: {
    random: () => number;
    serverMs: number;
    devices: readonly WorldDevice[];
    locations: readonly WorldLocation[];
  },
): readonly WorldAlert[] {
  const { random, serverMs, devices, locations } = world;
  const stateOf = () =>
    random() >= handled ? 'Open' : random() < 0.5 ? ('Acknowledged' as const) : ('Snoozed' as const);
  const none = { deviceId: null, locationId: null, isSuppressed: false, result: null, delivered: 0 };
  const made: Omit<WorldAlert, 'id'>[] = devices
    .filter(({ status }) => status === 'Down')
    .map((device) => ({
      ...none,
      kind: 'device.down',
      deviceId: device.id,
      isSuppressed: device.masterId !== null,
      state: stateOf(),
      openedMs: device.sinceMs + 1_000,
      result: device.lastResult,
      delivered: device.masterId === null ? Math.floor(random() * 3) : 0,
    }));
  for (const kind of ['disk.low', 'backup.old', 'clock.wrong'].slice(0, own))
    made.push({ ...none, kind, state: stateOf(), openedMs: serverMs - Math.floor(random() * 50 * hourMs) });
  for (const { id, isOnline } of locations)
    if (!isOnline && random() < 0.9)
      made.push({
        ...none,
        kind: 'location.offline',
        locationId: id,
        state: stateOf(),
        openedMs: serverMs - Math.floor(random() * hourMs),
      });
  const up = devices.filter(({ status, isRetrying }) => status === 'Up' && !isRetrying);
  for (const { id } of up.slice(up.length - Math.min(others, up.length)))
    made.push({
      ...none,
      kind: random() < 0.5 ? 'device.partial' : 'certificate.expiring',
      deviceId: id,
      state: stateOf(),
      openedMs: serverMs - Math.floor(random() * 90 * hourMs),
      result: 'fails from Oslo only',
    });
  return made
    .slice(0, maxAlerts)
    .sort((a, b) => a.openedMs - b.openedMs)
    .map((alert, n) => ({ ...alert, id: idOf('c', n) }))
    .reverse();
}
