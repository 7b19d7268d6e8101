import type { AccountFixture, WorldAlert, WorldDevice } from './account-fixture.ts';

// The parts of the API that the page uses, with their order, limits and filters. Unknown parameters are refused.

type FakeRow = Readonly<Record<string, unknown>>;
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const partMs = 20 * minuteMs;
const parts = 72;

const stamp = (ms: number) => new Date(ms).toISOString();

/** The start of the first part of 20 minutes in a day of `/states`. */
export const dayBeginMs = (serverMs: number) => (Math.floor(serverMs / partMs) - parts + 1) * partMs;

/** An answer of one route. */
interface FakeAnswer {
  readonly body: unknown;
  readonly total?: number;
  readonly hasMore?: boolean;
  readonly revision?: string;
}

/** The notification schedule of each Location. */
export const scheduleOfLocations = 'f'.repeat(48);

class FakeRefusal extends Error {}

/** Answers a request like the controller, with the server's time in the header `Date`, in whole seconds. */
export function answerFor(world: AccountFixture, request: Request): Response {
  const date = new Date(Math.floor(world.serverMs / 1_000) * 1_000).toUTCString();
  const { pathname, searchParams } = new URL(request.url);
  const path = pathname.replace(/^\/v1\.1/, '');
  try {
    const answer = routeOf(path)(world, searchParams);
    const headers = new Headers({ Date: date });
    if (answer.total !== undefined) headers.set('X-Total-Count', `${answer.total}`);
    if (answer.hasMore === true) headers.set('Link', `<${pathname}>; rel="next"`);
    if (answer.revision !== undefined) headers.set('Vantage-Revision', answer.revision);
    return Response.json(answer.body, { headers });
  } catch (error) {
    if (!(error instanceof FakeRefusal)) throw error;
    return Response.json({ code: 1004, message: error.message }, { status: 400, headers: { Date: date } });
  }
}

type Serve = (world: AccountFixture, query: URLSearchParams) => FakeAnswer;

function routeOf(path: string): Serve {
  const serve = path.startsWith('/devices/') ? serveDevice(path.slice('/devices/'.length)) : routes[path];
  if (serve === undefined) throw new FakeRefusal(`there is no route ${path}`);
  return serve;
}

const routes: Readonly<Record<string, Serve>> = {
  '/account': ({ accountId }) => ({
    body: { account_id: accountId, Timezone: 'UTC', nschedule_id: null },
  }),
  '/states': serveStates,
  '/devices': serveDevices,
  '/alerts': serveAlerts,
  '/summary': serveSummary,
  '/locations': (world, query) => whole(query, world.locations.toSorted(byName).map(showLocation)),
  '/agents': (world, query) =>
    whole(
      query,
      world.agents.map((agent_id) => ({ agent_id })),
    ),
  '/events': (_, query) => {
    only(query, ['Limit', 'Device', 'Type', 'Timestamp1']);
    return { body: [] };
  },
  '/outages': (_, query) => {
    only(query, ['Limit', 'Device', 'Timestamp1']);
    return { body: [] };
  },
  '/uptime': serveUptime,
};

const byName = (a: { readonly name: string }, b: { readonly name: string }) => (a.name < b.name ? -1 : 1);
const showLocation = ({ id, name, isOnline }: AccountFixture['locations'][number]) => ({
  location_id: id,
  Name: name,
  Online: isOnline,
  OfflineReason: null,
  nschedule_id: scheduleOfLocations,
});

function only(query: URLSearchParams, names: readonly string[]): void {
  for (const name of query.keys())
    if (!names.includes(name)) throw new FakeRefusal(`${name} is no parameter`);
}

function limitOf(query: URLSearchParams, max: number, usual: number): number {
  const text = query.get('Limit');
  if (text === null) return usual;
  if (!/^[1-9]\d*$/.test(text)) throw new FakeRefusal('Limit must be digits');
  return Math.min(max, Number(text));
}

/** A short list, which is returned whole without a Limit. */
function whole(query: URLSearchParams, rows: readonly FakeRow[]): FakeAnswer {
  only(query, ['Limit', 'Offset']);
  const limit = limitOf(query, 100, Number.POSITIVE_INFINITY);
  const offset = Number(query.get('Offset') ?? 0);
  return {
    body: rows.slice(offset, offset + limit),
    total: rows.length,
    hasMore: offset + limit < rows.length,
  };
}

/** A page of a list. The cursor is the id of the last row of the page before. */
function page<T extends { readonly id: string }>(
  rows: readonly T[],
  { cursor, limit, show }: { cursor: string | null; limit: number; show: (row: T) => FakeRow },
): FakeAnswer {
  const at = cursor === null ? -1 : rows.findIndex(({ id }) => id === cursor);
  if (cursor !== null && at === -1) throw new FakeRefusal('the cursor is not in the list');
  const from = at + 1;
  return { body: rows.slice(from, from + limit).map(show), hasMore: from + limit < rows.length };
}

function serveStates(world: AccountFixture, query: URLSearchParams): FakeAnswer {
  only(query, ['Limit', 'After', 'With', 'ChangedSince', 'Search', 'device_master_id']);
  const isPlain = !query.has('With') && !query.has('ChangedSince');
  const limit = limitOf(query, isPlain ? 10_000 : 1_000, 1_000);
  const text = query.get('Search') ?? '';
  const master = query.get('device_master_id');
  const rows = query.has('ChangedSince')
    ? []
    : world.devices.filter(
        ({ shortName, masterId }) => shortName.includes(text) && (master === null || masterId === master),
      );
  const show = (device: WorldDevice) =>
    query.has('With') ? { ...showState(world, device), ...partsOf(world, device) } : showState(world, device);
  return { ...page(rows, { cursor: query.get('After'), limit, show }), revision: 'r-1' };
}

/** The settings of a device. */
const serveDevice =
  (id: string): Serve =>
  ({ devices, serverMs }) => {
    const device = devices.find((each) => each.id === id);
    if (device === undefined) throw new FakeRefusal(`there is no device ${id}`);
    const { shortName, masterId } = device;
    const stored = stamp(serverMs - dayMs);
    return {
      body: {
        device_id: id,
        ShortName: shortName,
        Method: 'PING',
        Attempts: 3,
        nschedule_id: null,
        device_master_id: masterId,
        CreatedAt: stored,
        UpdatedAt: stored,
      },
    };
  };

function downBecause({ devices }: AccountFixture, { status, masterId }: WorldDevice): string | null {
  const master = devices.find(({ id }) => id === masterId);
  return status === 'Down' && master?.status === 'Down' ? master.id : null;
}

function showState(world: AccountFixture, device: WorldDevice): FakeRow {
  return {
    device_id: device.id,
    ShortName: device.shortName,
    FullName: null,
    Method: 'PING',
    Status: device.status,
    StatusSince: stamp(device.sinceMs),
    Enabled: device.isEnabled,
    Retrying: device.isRetrying,
    Severity: 'critical',
    MaintenanceUntil: device.status === 'Maint' ? stamp(world.serverMs + dayMs) : null,
    DownBecause: downBecause(world, device),
  };
}

const partsOf = (world: AccountFixture, device: WorldDevice): FakeRow => ({
  Tags: [],
  Locations: [],
  LastCheck: null,
  Day: lettersOf(world, device),
});

/** The worst status of each 20 minutes. */
function lettersOf({ serverMs }: AccountFixture, { status, sinceMs, outages }: WorldDevice): string {
  const beginMs = dayBeginMs(serverMs);
  const now = { Up: 'U', Down: 'D', Maint: 'M', Unknown: '?' }[status];
  const down = new Set(outages.map((ms) => Math.floor((ms - beginMs) / partMs)));
  const since = Math.floor((sinceMs - beginMs) / partMs);
  return Array.from({ length: parts }, (_, at) => {
    if (down.has(at)) return 'D';
    return status === 'Down' && at < since ? 'U' : now;
  }).join('');
}

function serveDevices(world: AccountFixture, query: URLSearchParams): FakeAnswer {
  only(query, ['Limit', 'Filter', 'Sort', 'nschedule_id']);
  const limit = limitOf(query, 100, 25);
  const rows = world.devices
    .filter(
      ({ status }) => !query.has('nschedule_id') && (query.get('Filter') !== 'Down' || status === 'Down'),
    )
    .toSorted((a, b) => b.sinceMs - a.sinceMs);
  const body = rows
    .slice(0, limit)
    .map(({ id, lastResult }) => ({ device_id: id, LastCheckResult: lastResult }));
  return { body, total: rows.length, hasMore: rows.length > limit };
}

function serveAlerts(world: AccountFixture, query: URLSearchParams): FakeAnswer {
  only(query, ['State', 'Suppressed', 'Kind', 'Device', 'Limit', 'Before']);
  const has = (name: string, value: string | null) =>
    !query.has(name) || (value !== null && query.get(name)?.split(',').includes(value) === true);
  const rows = world.alerts.filter(
    (alert) =>
      has('State', alert.state) &&
      has('Suppressed', `${alert.isSuppressed}`) &&
      has('Kind', alert.kind) &&
      has('Device', alert.deviceId),
  );
  return page(rows, { cursor: query.get('Before'), limit: limitOf(query, 100, 25), show: showAlert });
}

function showAlert(alert: WorldAlert): FakeRow {
  const isTaken = alert.state === 'Acknowledged';
  return {
    alert_id: alert.id,
    device_id: alert.deviceId,
    ShortName: null,
    FullName: null,
    Kind: alert.kind,
    State: alert.state,
    Opened: stamp(alert.openedMs),
    Closed: null,
    Since: stamp(alert.openedMs),
    Severity: 'critical',
    Reason: null,
    Shadow: false,
    Location: null,
    location_id: alert.locationId,
    CheckResult: alert.result,
    Acknowledged: isTaken ? { By: 'Ada', Note: null, At: stamp(alert.openedMs) } : null,
    SnoozedUntil: null,
    Contact: null,
    contact_id: null,
    Notifications: Array.from({ length: alert.delivered }, (_, at) => ({
      Name: `contact ${at}`,
      Kind: alert.kind,
      State: 'Delivered',
      At: stamp(alert.openedMs),
      Attempts: [],
    })),
  };
}

function serveSummary({ serverMs, devices, alerts }: AccountFixture, query: URLSearchParams): FakeAnswer {
  only(query, []);
  const count = (test: (alert: WorldAlert) => boolean) => alerts.filter(test).length;
  const Alerts = {
    Open: count(({ state }) => state === 'Open'),
    Acknowledged: count(({ state }) => state === 'Acknowledged'),
    Snoozed: count(({ state }) => state === 'Snoozed'),
    Suppressed: count(({ state, isSuppressed }) => state === 'Open' && isSuppressed),
  };
  return {
    body: { Timestamp: stamp(serverMs), Devices: { Total: devices.length }, Alerts, LastCheck: null },
  };
}

function serveUptime({ serverMs, devices }: AccountFixture, query: URLSearchParams): FakeAnswer {
  only(query, ['Device', 'Timestamp1', 'Limit']);
  const fromMs = Date.parse(query.get('Timestamp1') ?? '');
  const ids = query.get('Device')?.split(',') ?? [];
  if (!(fromMs < serverMs)) throw new FakeRefusal('Timestamp1 must lie in the past');
  const rows = devices.filter(({ id }) => ids.includes(id)).slice(0, limitOf(query, 100, 25));
  const countOf = ({ outages }: WorldDevice) => outages.filter((ms) => ms + minuteMs > fromMs).length;
  return { body: rows.map((device) => ({ device_id: device.id, Uptime: { Outages: countOf(device) } })) };
}
