import type { Page } from 'playwright-core';
import { fleetWorld } from './fleet-world.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const total = 5_000;
const idOf = (kind: string, at: number) => `${kind}${at.toString(16).padStart(47, '0')}`;

const cities = ['Berlin', 'Frankfurt', 'Hamburg', 'Oslo', 'Rotterdam', 'Warsaw'] as const;
const groups = ['core', 'office', 'rack-1', 'rack-2', 'rack-3', 'wifi'] as const;
const kinds = [
  ['Switch', 'sw', 'PING', 0.6],
  ['Access point', 'ap', 'PING', 3],
  ['Camera', 'cam', 'HTTP', 41],
  ['Printer', 'prn', 'TCP', 9],
  ['Resolver', 'dns', 'DNS', 1.4],
  ['Mail gateway', 'mx', 'SMTP', 18],
  ['Shop front', 'shop', 'HTTP', 84],
  ['Orders database', 'db', 'MySQL', 2.1],
] as const;

/** Numbers of the devices that are in trouble. The first two are the masters of the next ones. */
const behindFirst = 149;
const behindSecond = 164;
const acknowledged = 165;
const retrying = 166;
const partial = 167;
const unknown = 184;
const maint = 193;
const paused = 199;

interface OutageDevice {
  readonly at: number;
  readonly name: string;
  readonly status: 'Up' | 'Down' | 'Maint' | 'Unknown';
  readonly sinceMs: number;
  readonly master: number | undefined;
}

function cityOf(at: number): number {
  if (at === 1 || (at > behindFirst && at <= behindSecond)) return 3;
  if (at <= behindFirst) return 0;
  if (at > partial && at <= unknown) return 2;
  return at % cities.length;
}

function statusOf(at: number): Pick<OutageDevice, 'status' | 'sinceMs'> {
  if (at <= acknowledged)
    return { status: 'Down', sinceMs: at === acknowledged ? 41 * minuteMs : (23 - (at % 4)) * minuteMs };
  if (at > partial && at <= unknown) return { status: 'Unknown', sinceMs: 6 * minuteMs };
  if (at > unknown && at <= maint) return { status: 'Maint', sinceMs: 42 * minuteMs };
  if (at > maint && at <= paused) return { status: 'Unknown', sinceMs: 9 * dayMs };
  return { status: 'Up', sinceMs: at % 97 === 0 ? 3 * hourMs : (1 + (at % 90)) * dayMs };
}

function nameOf(at: number): string {
  if (at === 0) return 'Core router Berlin';
  if (at === 1) return 'Provider edge Oslo';
  if (at === acknowledged) return 'Shop, web front';
  const [kind] = kinds[at % kinds.length] ?? kinds[0];
  return `${kind} ${cities[cityOf(at)]} ${at}`;
}

const devices: readonly OutageDevice[] = Array.from({ length: total }, (_, at) => ({
  at,
  name: nameOf(at),
  ...statusOf(at),
  master: at < 2 || at > behindSecond ? undefined : at <= behindFirst ? 0 : 1,
}));

const stamp = (agoMs: number) => new Date(Date.now() - agoMs).toISOString();
const kindOf = ({ at }: OutageDevice) =>
  at < 2 ? (['Router', 'rt', 'PING', 1] as const) : (kinds[at % kinds.length] ?? kinds[0]);
const resultOf = ({ at }: OutageDevice) =>
  at === acknowledged
    ? 'no answer from 192.0.2.44:443 within 10 s'
    : `no answer from 10.${20 + cityOf(at)}.${at >> 8}.${at % 256} within 5 s`;

/** The worst status of each 20 minutes. */
function lettersOf({ at, status, sinceMs }: OutageDevice): string {
  const now = { Up: 'U', Down: 'D', Maint: 'M', Unknown: '?' }[status];
  const begin = 71 - Math.floor(sinceMs / (20 * minuteMs));
  return Array.from({ length: 72 }, (_, part) => {
    if (part >= begin && status !== 'Up') return now;
    if (at % 97 === 0 && part === 62) return 'D';
    return at % 31 === 7 && part >= 20 && part < 22 ? 'M' : 'U';
  }).join('');
}

function showState(device: OutageDevice) {
  const { at, name, status, sinceMs, master } = device;
  const [, short, Method, usualMs] = kindOf(device);
  const city = cities[cityOf(at)] ?? '';
  const isPaused = at > maint && at <= paused;
  const group = groups[(at >> 3) % groups.length];
  return {
    device_id: idOf('d', at),
    ShortName: `${city.slice(0, 3).toLowerCase()}-${short}-${at}`,
    FullName: name,
    Method,
    Status: status,
    StatusSince: stamp(sinceMs),
    Enabled: !isPaused,
    Retrying: at === retrying,
    Severity: at % 5 === 0 ? 'warning' : 'critical',
    MaintenanceUntil: status === 'Maint' ? stamp(-78 * minuteMs) : null,
    DownBecause: master === undefined ? null : idOf('d', master),
    Locations: [{ location_id: idOf('0', cityOf(at)), Name: city }],
    Tags: [{ tag_id: '0'.repeat(48), Name: `${city.toLowerCase()}/${group}` }],
    LastCheck: {
      Timestamp: stamp(status === 'Unknown' ? sinceMs : 4_000 + (at % 50) * 1_000),
      RequestTime: status === 'Down' ? 5_000 : usualMs * (0.8 + (at % 17) / 20),
      ResultCode: status === 'Down' || at === retrying ? 3 : 1,
    },
    Day: lettersOf(device),
  };
}

function showDevice(device: OutageDevice) {
  const { device_id, ShortName, FullName, Method } = showState(device);
  return {
    device_id,
    ShortName,
    FullName,
    Method,
    URL: resultOf(device).split(' ')[3],
    Attempts: 3,
    nschedule_id: null,
    device_master_id: device.master === undefined ? null : idOf('d', device.master),
    CreatedAt: stamp(400 * dayMs),
    UpdatedAt: stamp(120 * dayMs),
  };
}

const message = (Name: string, agoMs: number) => ({
  contact_id: idOf('e', Name.length),
  Name,
  Kind: 'device.down',
  At: stamp(agoMs),
  Step: 1,
  State: 'Delivered',
  Attempts: [{ At: stamp(agoMs), Answer: '250 2.0.0 queued as 9B21' }],
});

function showAlert(device: OutageDevice) {
  const { at, name, sinceMs, master } = device;
  const isTaken = at === acknowledged;
  return {
    alert_id: idOf('c', total - at),
    device_id: idOf('d', at),
    ShortName: showState(device).ShortName,
    FullName: name,
    Kind: at === partial ? 'device.partial' : 'device.down',
    State: isTaken || at === partial ? 'Acknowledged' : 'Open',
    Opened: stamp(at === partial ? 3 * hourMs : sinceMs - 12_000),
    Closed: null,
    Since: stamp(at === partial ? 3 * hourMs : sinceMs),
    Severity: 'critical',
    Reason: master === undefined ? null : `its master ${nameOf(master)} is Down`,
    Shadow: false,
    Location: at === partial ? 'Warsaw' : null,
    location_id: null,
    CheckResult: at === partial ? 'fails from Warsaw only: connection refused' : resultOf(device),
    Contact: null,
    contact_id: null,
    Acknowledged: isTaken
      ? { By: 'Timo Brandt', Note: 'the provider is on it, ticket 48112', At: stamp(33 * minuteMs) }
      : at === partial
        ? { By: 'Jana Wolf', Note: 'firewall change tonight', At: stamp(2 * hourMs) }
        : null,
    SnoozedUntil: null,
    Notifications:
      at < 2 || isTaken ? [message('NOC', sinceMs - 15_000), message('Jana Wolf', sinceMs - 16_000)] : [],
  };
}

const offline = () => ({
  ...showAlert({ at: total, name: '', status: 'Unknown', sinceMs: 6 * minuteMs, master: undefined }),
  device_id: null,
  ShortName: null,
  FullName: null,
  Kind: 'location.offline',
  Location: 'Hamburg',
  location_id: idOf('0', 2),
  CheckResult: 'no agent connected; 17 devices are Unknown',
  Notifications: [message('NOC', 5 * minuteMs)],
});

/** The last opened first. */
const alerts = () =>
  [
    offline(),
    ...devices
      .filter(({ at, status }) => status === 'Down' || at === partial)
      .map(showAlert)
      .toReversed(),
  ].toSorted((a, b) => Date.parse(b.Opened) - Date.parse(a.Opened));

function outages(ids: readonly string[]) {
  const rows = devices.filter(({ at, status }) =>
    ids.length === 0 ? status === 'Down' || at % 97 === 0 : ids.includes(idOf('d', at)),
  );
  return rows.map((device) => {
    const isOpen = device.status === 'Down';
    const startMs = isOpen ? device.sinceMs : (device.at % 23) * hourMs + 40 * minuteMs;
    const lengthMs = isOpen ? startMs : (3 + (device.at % 30)) * minuteMs;
    return {
      outage_id: idOf('f', device.at),
      device_id: idOf('d', device.at),
      ShortName: showState(device).ShortName,
      FullName: device.name,
      Start: stamp(startMs),
      End: isOpen ? null : stamp(startMs - lengthMs),
      Seconds: Math.round(lengthMs / 1_000),
      Location: null,
      Locations: [cities[cityOf(device.at)]],
      CheckResult: resultOf(device),
      check_id: null,
      alert_id: isOpen ? idOf('c', total - device.at) : null,
      Acknowledged: device.at === acknowledged,
      Behind: device.at === 0 ? behindFirst - 1 : device.at === 1 ? behindSecond - behindFirst : 0,
      Note: null,
      Excluded: false,
    };
  });
}

const eventOf = (device: OutageDevice, Type: string, agoMs: number) => ({
  event_id: idOf('a', device.at),
  device_id: idOf('d', device.at),
  ShortName: showState(device).ShortName,
  FullName: device.name,
  Timestamp: stamp(agoMs),
  Type,
  Status: device.status,
  Location: null,
  location_id: null,
  CheckResult: Type === 'Down' ? resultOf(device) : null,
  check_id: null,
  Message: '',
  Duration: null,
  Late: false,
});

const events = () =>
  devices
    .flatMap((device) => {
      if (device.status === 'Down') return [eventOf(device, 'Down', device.sinceMs - 12_000)];
      if (device.status === 'Maint') return [eventOf(device, 'MaintStart', device.sinceMs)];
      return [];
    })
    .toSorted((a, b) => Date.parse(b.Timestamp) - Date.parse(a.Timestamp));

const countOf = (status: OutageDevice['status']) =>
  devices.filter((device) => device.status === status).length;

type Rows = readonly { readonly [key: string]: unknown }[];

/** A page of a list, from the row after the one that the cursor names. */
function pageOf(
  rows: Rows,
  query: URLSearchParams,
  { cursor, id, usual }: { cursor: string; id: string; usual: number },
) {
  const limit = Number(query.get('Limit') ?? usual);
  const from = query.has(cursor) ? rows.findIndex((row) => row[id] === query.get(cursor)) + 1 : 0;
  const headers = from + limit < rows.length ? { Link: '</next>; rel="next"' } : {};
  return { json: rows.slice(from, from + limit), headers: { 'Vantage-Revision': 'r-1', ...headers } };
}

function states(query: URLSearchParams) {
  const master = query.get('device_master_id');
  const text = query.get('Search')?.toLowerCase() ?? '';
  const found = query.has('ChangedSince')
    ? []
    : devices.filter(
        (device) =>
          (master === null || (device.master !== undefined && idOf('d', device.master) === master)) &&
          (!query.has('Status') || query.get('Status') === device.status) &&
          device.name.toLowerCase().includes(text),
      );
  return pageOf(found.map(showState), query, { cursor: 'After', id: 'device_id', usual: 1_000 });
}

function listAlerts(query: URLSearchParams) {
  const has = (name: string, value: string | null) =>
    !query.has(name) || (value !== null && query.get(name)?.split(',').includes(value) === true);
  const found = alerts().filter(
    ({ State, Kind, device_id, Reason }) =>
      has('State', State) &&
      has('Kind', Kind) &&
      has('Device', device_id) &&
      has('Suppressed', `${Reason !== null}`),
  );
  return pageOf(found, query, { cursor: 'Before', id: 'alert_id', usual: 25 });
}

/**
 * Answers with 5,000 devices at six Locations. Two masters are Down with 163 devices behind them, one device is
 * acknowledged, and one Location is offline. The system has none of these devices.
 */
export async function outageWorld(page: Page): Promise<void> {
  await fleetWorld(page);
  const answer = (path: RegExp, read: (query: URLSearchParams, path: string) => object) =>
    page.route(path, (route) => {
      const { searchParams, pathname } = new URL(route.request().url());
      return route.fulfill(read(searchParams, pathname));
    });
  await answer(/\/v1\.1\/states(\?|$)/, states);
  await answer(/\/v1\.1\/alerts(\?|$)/, listAlerts);
  await answer(/\/v1\.1\/events(\?Limit|\?Device|\?Type|$)/, (query) => {
    const ids = query.get('Device')?.split(',');
    const found = events().filter(({ device_id }) => ids?.includes(device_id) ?? true);
    return pageOf(found, query, { cursor: 'Before', id: 'event_id', usual: 25 });
  });
  await answer(/\/v1\.1\/alerts\/c[0-9a-f]{47}(\?|$)/, (_, path) => {
    const found = alerts().find(({ alert_id }) => alert_id === path.slice(-48));
    return found === undefined ? { status: 404 } : { json: found };
  });
  await answer(/\/v1\.1\/outages(\?|$)/, (query) => ({
    json: outages(query.get('Device')?.split(',') ?? []),
  }));
  await answer(/\/v1\.1\/uptime/, (query) => ({
    json: query
      .get('Device')
      ?.split(',')
      .map((device_id) => ({ device_id, Uptime: { Outages: 1 } })),
  }));
  await answer(/\/v1\.1\/devices\/d[0-9a-f]{47}(\?|$)/, (_, path) => {
    const device = devices[Number.parseInt(path.slice(-47), 16)];
    return device === undefined ? { status: 404 } : { json: showDevice(device) };
  });
  await page.route(/\/v1\.1\/summary(\?|$)/, async (route) => {
    const read = await route.fetch();
    const Devices = {
      Total: total,
      Up: countOf('Up'),
      Down: countOf('Down'),
      Maint: countOf('Maint'),
      Unknown: countOf('Unknown'),
    };
    const suppressed = alerts().filter(({ Reason }) => Reason !== null).length;
    const Alerts = { Open: suppressed + 3, Acknowledged: 2, Snoozed: 0, Suppressed: suppressed };
    await route.fulfill({ json: { ...((await read.json()) as object), Devices, Alerts } });
  });
}
