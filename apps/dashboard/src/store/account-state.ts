import { computed } from '@preact/signals';
import type { Schemas } from '@vantage/client';
import { type Expectation, withExpectations } from '../model/expectations.ts';
import { withArrived } from '../model/newest-events.ts';
import { countStates, type State, stateOf } from '../model/state.ts';
import { alerts, readAlerts } from './alerts.ts';
import { ApiProblem, api, take } from './api.ts';
import { showZone } from './clock.ts';
import type { DeviceFacts } from './device-facts.ts';
import { inOrder } from './in-order.ts';
import { accountId, accountSignal, onSignInEnd, signInEnd } from './present-sign-in.ts';
import { type Changes, type Read, readStates } from './read-states.ts';

export type Event = Schemas['Event'];
export type Location = Schemas['Location'];

/** A device with the word that a list shows. */
export interface DeviceRow extends DeviceFacts {
  readonly state: State;
}

/** How far the facts are read. */
export type Progress = 'loading' | 'ready' | { readonly problem: unknown };

export const devices = accountSignal<ReadonlyMap<string, DeviceFacts>>(new Map());
export const progress = accountSignal<Progress>('loading');
/** How many devices are read while everything is. */
export const readSoFar = accountSignal(0);
/** The effects of changes that are under way on devices. */
export const expectedDevices = accountSignal<readonly Expectation<DeviceFacts>[]>([]);
export const locations = accountSignal<readonly Location[]>([]);
/** The newest events, newest first. */
export const events = accountSignal<readonly Event[]>([]);

const partial = computed(
  () =>
    new Set(alerts.value.filter(({ Kind }) => Kind === 'device.partial').map(({ device_id }) => device_id)),
);

/** The results of checks that the stream brought, by device. */
export const results = accountSignal<ReadonlyMap<string, string>>(new Map());

const known = new WeakMap<DeviceFacts, DeviceRow>();

/** The row of a device. A row is made again only when its facts or its state changed. */
function rowOf(facts: DeviceFacts): DeviceRow {
  const before = known.get(facts);
  const state = stateOf({ ...facts, isPartial: partial.value.has(facts.id) });
  if (before?.state === state) return before;
  const row = { ...facts, state };
  known.set(facts, row);
  return row;
}

/** Every device with its state. */
export const rows = computed<readonly DeviceRow[]>(() =>
  withExpectations([...devices.value.values()], ({ id }) => id, expectedDevices.value).map(rowOf),
);

export const counts = computed(() => countStates(rows.value.map(({ state }) => state)));

const keptEvents = 50;

/** The revision from which the next changes are read; undefined: everything is to be read. */
let revision: string | undefined;

let reading: Promise<void> | undefined;

onSignInEnd(() => {
  revision = undefined;
  reading = undefined;
});

/**
 * Reads everything again. What is shown stays until the new facts are there. The lists are read when `opened` resolves.
 */
export function readFacts(opened?: Promise<void>): Promise<void> {
  if (reading !== undefined) return reading;
  const own = readAll(opened).finally(() => {
    if (reading === own) reading = undefined;
  });
  reading = own;
  return own;
}

async function readAll(opened = Promise.resolve()): Promise<void> {
  const end = signInEnd();
  try {
    const lists = opened.then(() => {
      end.throwIfAborted();
      return readLists();
    });
    const others = Promise.all([readAccount(), lists]);
    // Where the states cannot be read, nobody waits for the others.
    others.catch(() => {});
    await readDevices();
    await others;
    if (!end.aborted) progress.value = 'ready';
  } catch (problem) {
    if (progress.value !== 'ready' && !end.aborted) progress.value = { problem };
  }
}

const readDevices = inOrder(
  // A part of the devices is not shown: the worst may be among the others, and a list would jump.
  () =>
    readStates(undefined, (count) => {
      readSoFar.value = count;
    }),
  (read) => {
    devices.value = withChanges(new Map(), read.changes);
    revision = read.revision;
  },
);

const refused = 1004;

/** Reads what changed of the devices since they were read. */
export async function readChanges(): Promise<void> {
  const end = signInEnd();
  await reading;
  if (end.aborted) return;
  // Where a part could not be read, all is read again.
  if (revision === undefined || progress.value !== 'ready') return readFacts();
  try {
    await readSince(revision);
  } catch (error) {
    // The revision is too old, or of another run of the database.
    if (error instanceof ApiProblem && error.code === refused) return readFacts();
    throw error;
  }
}

const readSince = inOrder(readStates, (read: Read) => {
  changeDevices(read.changes);
  revision = read.revision ?? revision;
});

/** Reads what is short beside the devices. */
export const readLists = () => Promise.all([readAlerts(), readLocations(), readEvents()]);

async function readAccount(): Promise<void> {
  const account = await take(api.GET('/account'));
  accountId.value = account.account_id;
  showZone(account.Timezone);
}

/** Reads all Locations: the list comes whole where no Limit is sent. */
export const readLocations = inOrder(
  () => take(api.GET('/locations')),
  (read) => {
    locations.value = read;
  },
);

async function readEvents(): Promise<void> {
  const before = new Set(events.value);
  const read = await take(api.GET('/events', { params: { query: { Limit: keptEvents } } }));
  // The stream may have brought newer ones meanwhile.
  const arrived = events.value.filter((event) => !before.has(event));
  events.value = withArrived(arrived, read, keptEvents);
}

/** Adds events that the stream brought, the newest last. */
export function addEvents(given: readonly Event[]): void {
  events.value = withArrived(given.toReversed(), events.value, keptEvents);
}

/** Changes what is known of devices. */
export function changeDevices(changes: Changes): void {
  if (changes.size > 0) devices.value = withChanges(devices.value, changes);
}

function withChanges(before: ReadonlyMap<string, DeviceFacts>, changes: Changes): Map<string, DeviceFacts> {
  const next = new Map(before);
  for (const [id, facts] of changes)
    if (facts === undefined) next.delete(id);
    else next.set(id, facts);
  return next;
}

/** Keeps what checks said. It is forgotten for devices that are gone. */
export function addResults(said: ReadonlyMap<string, string>): void {
  if (said.size === 0) return;
  const all = [...results.value, ...said];
  results.value = new Map(all.filter(([id]) => devices.value.has(id)));
}
