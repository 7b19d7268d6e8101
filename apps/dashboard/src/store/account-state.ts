import { batch, computed } from '@preact/signals';
import type { Schemas } from '@vantage/client';
import { type ExpectedChange, withExpectations } from '../model/expectations.ts';
import { withArrived } from '../model/newest-events.ts';
import { countStates, type DeviceState, stateOf } from '../model/state.ts';
import { alerts, readAlerts } from './alerts.ts';
import { ApiProblem, api, take } from './api.ts';
import { showZone } from './clock.ts';
import { inOrder } from './in-order.ts';
import type { KnownDevice } from './known-device.ts';
import { nextPicture } from './next-picture.ts';
import { accountId, accountSignal, onSignInEnd, signInEnd } from './present-sign-in.ts';
import {
  type DeviceChanges,
  readDownStates,
  readParts,
  readPlainStates,
  readStatesSince,
  type StateChanges,
} from './read-states.ts';

export type AccountEvent = Schemas['Event'];
export type AccountLocation = Schemas['Location'];

/** A device with the state that a list shows. */
export interface DeviceListRow extends KnownDevice {
  readonly state: DeviceState;
}

/** Whether the facts of the account are read. */
export type ReadProgress = 'loading' | 'ready' | { readonly problem: unknown };

/** The counts of the server, and the devices that are Down, which matter most. */
interface EarlyFacts {
  readonly total: number;
  readonly down: number;
  readonly devices: readonly KnownDevice[];
  /** Whether `devices` are all that are Down. */
  readonly isWhole: boolean;
}

export const devices = accountSignal<ReadonlyMap<string, KnownDevice>>(new Map());
export const progress = accountSignal<ReadProgress>('loading');
/** The facts that are known before all devices are read; undefined: none yet. */
const earlyFacts = accountSignal<EarlyFacts | undefined>(undefined);
/** The expected effects of running changes on devices. */
export const expectedDevices = accountSignal<readonly ExpectedChange<KnownDevice>[]>([]);
export const locations = accountSignal<readonly AccountLocation[]>([]);
/** The newest events, newest first. */
export const events = accountSignal<readonly AccountEvent[]>([]);

const partial = computed(
  () =>
    new Set(alerts.value.filter(({ Kind }) => Kind === 'device.partial').map(({ device_id }) => device_id)),
);

/** The results of checks from the event stream, by device. */
export const results = accountSignal<ReadonlyMap<string, string>>(new Map());

const known = new WeakMap<KnownDevice, DeviceListRow>();

/** The row of a device. It stays the same object until the facts or the state change. */
function rowOf(facts: KnownDevice): DeviceListRow {
  const before = known.get(facts);
  const state = stateOf({ ...facts, isPartial: partial.value.has(facts.id) });
  if (before?.state === state) return before;
  const row = { ...facts, state };
  known.set(facts, row);
  return row;
}

/** Every device with its state. */
export const rows = computed<readonly DeviceListRow[]>(() =>
  withExpectations([...devices.value.values()], ({ id }) => id, expectedDevices.value).map(rowOf),
);

/** The server's counts and the rows of Down devices while all devices are read; undefined: all are read. */
export const early = computed(() => {
  const facts = earlyFacts.value;
  if (facts === undefined || progress.value !== 'loading' || devices.value.size > 0) return undefined;
  return { ...facts, rows: facts.devices.map(rowOf) };
});

/** Whether rows are shown without their tags, Locations, last checks and days, because these are still being read. */
export const arePartsMissing = accountSignal(false);

export const counts = computed(() => countStates(rows.value.map(({ state }) => state)));

const maxEvents = 50;

/** The revision after which changes are read next; undefined: everything is to be read. */
let revision: string | undefined;

let reading: Promise<void> | undefined;

onSignInEnd(() => {
  revision = undefined;
  reading = undefined;
});

/**
 * Reads everything again. The present facts are shown until the new ones are there. The lists are read when `opened`
 * resolves.
 */
export function readFacts(opened?: Promise<void>): Promise<void> {
  if (reading !== undefined) return reading;
  const run = readAll(opened).finally(() => {
    if (reading === run) reading = undefined;
  });
  reading = run;
  return run;
}

async function readAll(opened = Promise.resolve()): Promise<void> {
  const end = signInEnd();
  try {
    const account = readAccount();
    // If the states cannot be read, the other reads are not awaited.
    account.catch(() => {});
    const isFirst = devices.peek().size === 0;
    if (isFirst) await readEarly();
    const plain = await readPlainStates();
    end.throwIfAborted();
    const isShown = isFirst && devices.peek().size === 0;
    if (isShown) {
      batch(() => {
        arePartsMissing.value = true;
        changeDevices(plain.changes);
      });
      await nextPicture();
      end.throwIfAborted();
    }
    // The lists come after the first pictures, which a slow connection would delay.
    const lists = opened.then(() => {
      end.throwIfAborted();
      return readLists();
    });
    lists.catch(() => {});
    await readDevices(plain, isShown);
    await Promise.all([account, lists]);
    if (!end.aborted) progress.value = 'ready';
  } catch (problem) {
    if (progress.value !== 'ready' && !end.aborted) progress.value = { problem };
  }
}

/** The minimum time between two pictures of a list whose parts arrive, milliseconds: each sorts all rows again. */
const partsApartMs = 1_000;

/** Reads everything about devices whose names and states are known. `isShown`: they are in the list already. */
async function readDevices({ changes, revision: since }: StateChanges, isShown: boolean): Promise<void> {
  const end = signInEnd();
  const read = new Map(changes);
  let shownMs = performance.now();
  await readParts([...changes.keys()], (rows) => {
    if (end.aborted) return;
    for (const row of rows) if (read.has(row.id)) read.set(row.id, row);
    if (!isShown || performance.now() < shownMs + partsApartMs) return;
    shownMs = performance.now();
    devices.value = afterEvents(changes, read);
  });
  end.throwIfAborted();
  batch(() => {
    devices.value = isShown ? afterEvents(changes, read) : withChanges(new Map(), read);
    arePartsMissing.value = false;
  });
  revision = since;
}

const isSameState = (a: KnownDevice, b: KnownDevice) =>
  a.status === b.status && a.isRetrying === b.isRetrying;

/**
 * The devices as read, with the states of events that arrived since they are shown. Those are newer, and are read again
 * among the changes.
 */
function afterEvents(shown: DeviceChanges, read: DeviceChanges): ReadonlyMap<string, KnownDevice> {
  const next = withChanges(new Map(), read);
  for (const [id, now] of devices.peek()) {
    const facts = next.get(id);
    const first = shown.get(id);
    if (facts === undefined || first === undefined || isSameState(now, first)) continue;
    const { status, sinceMs, isRetrying } = now;
    next.set(id, { ...facts, status, sinceMs, isRetrying });
  }
  return next;
}

/** Shows the counts and the devices that are Down, which matter most, before all devices are read. */
async function readEarly(): Promise<void> {
  const end = signInEnd();
  try {
    const [{ Devices }, down] = await Promise.all([take(api.GET('/summary')), readDownStates()]);
    if (end.aborted) return;
    earlyFacts.value = { total: Devices.Total, down: Devices.Down, ...down };
  } catch (error) {
    // Without it, all devices are read as well.
    if (end.aborted) throw error;
  }
}

const refused = 1004;

/** Reads the changes of devices since the last read. */
export async function readChanges(): Promise<void> {
  const end = signInEnd();
  await reading;
  if (end.aborted) return;
  // If a part could not be read, everything is read again.
  if (revision === undefined || progress.value !== 'ready') return readFacts();
  try {
    await readSince(revision);
  } catch (error) {
    // The revision is too old, or of another run of the database.
    if (error instanceof ApiProblem && error.code === refused) return readFacts();
    throw error;
  }
}

const readSince = inOrder(readStatesSince, (read: StateChanges) => {
  changeDevices(read.changes);
  revision = read.revision ?? revision;
});

/** Reads the alerts, Locations and events. */
export const readLists = () => Promise.all([readAlerts(), readLocations(), readEvents()]);

async function readAccount(): Promise<void> {
  const account = await take(api.GET('/account'));
  accountId.value = account.account_id;
  showZone(account.Timezone);
}

/** Reads all Locations: without a Limit, the API returns the whole list. */
export const readLocations = inOrder(
  () => take(api.GET('/locations')),
  (read) => {
    locations.value = read;
  },
);

async function readEvents(): Promise<void> {
  const before = new Set(events.value);
  const read = await take(api.GET('/events', { params: { query: { Limit: maxEvents } } }));
  // Newer ones may have arrived from the stream meanwhile.
  const arrived = events.value.filter((event) => !before.has(event));
  events.value = withArrived(arrived, read, maxEvents);
}

/** Adds events from the stream, the newest last. */
export function addEvents(arrived: readonly AccountEvent[]): void {
  events.value = withArrived(arrived.toReversed(), events.value, maxEvents);
}

/** Changes the facts of devices. */
export function changeDevices(changes: DeviceChanges): void {
  if (changes.size > 0) devices.value = withChanges(devices.value, changes);
}

function withChanges(
  before: ReadonlyMap<string, KnownDevice>,
  changes: DeviceChanges,
): Map<string, KnownDevice> {
  const next = new Map(before);
  for (const [id, facts] of changes)
    if (facts === undefined) next.delete(id);
    else next.set(id, facts);
  return next;
}

/** Adds results of checks, and drops those of deleted devices. */
export function addResults(arrived: ReadonlyMap<string, string>): void {
  if (arrived.size === 0) return;
  const all = [...results.value, ...arrived];
  results.value = new Map(all.filter(([id]) => devices.value.has(id)));
}
