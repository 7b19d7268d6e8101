import { computed, signal } from '@preact/signals';
import type { Schemas } from '@vantage/client';
import { type Expectation, withExpectations } from '../model/expectations.ts';
import { dateIn } from '../model/format.ts';
import { withArrived } from '../model/newest-events.ts';
import { countStates, type State, stateOf } from '../model/state.ts';
import { ApiProblem, api, take, takeAnswer } from './api.ts';
import { today, zone } from './clock.ts';
import type { DeviceFacts } from './device-facts.ts';
import { type Changes, readResults, readStates } from './read-states.ts';

export type Alert = Schemas['Alert'];
export type Event = Schemas['Event'];
export type Location = Schemas['Location'];

/** A device with the word that a list shows. */
export interface DeviceRow extends DeviceFacts {
  readonly state: State;
}

/** How far the facts are read. */
export type Progress = 'loading' | 'ready' | { readonly problem: unknown };

export const devices = signal<ReadonlyMap<string, DeviceFacts>>(new Map());
export const progress = signal<Progress>('loading');
/** How many devices are read while everything is. */
export const readSoFar = signal(0);
const storedAlerts = signal<readonly Alert[]>([]);
/** The effects of changes that are under way on alerts and devices. */
export const expectedAlerts = signal<readonly Expectation<Alert>[]>([]);
export const expectedDevices = signal<readonly Expectation<DeviceFacts>[]>([]);
/** Open, acknowledged and snoozed ones, newest first. */
export const alerts = computed(() =>
  withExpectations(storedAlerts.value, ({ alert_id }) => alert_id, expectedAlerts.value),
);
export const locations = signal<readonly Location[]>([]);
/** The newest events, newest first. */
export const events = signal<readonly Event[]>([]);

const partial = computed(
  () =>
    new Set(alerts.value.filter(({ Kind }) => Kind === 'device.partial').map(({ device_id }) => device_id)),
);

/** The results of checks by device: of devices that are Down, and of what the stream brought. */
export const results = signal<ReadonlyMap<string, string>>(new Map());

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

/** Whether an alert is only a symptom: its device is Down because a master is, which has an alert of its own. */
export function isSuppressed({ device_id }: Alert): boolean {
  return device_id !== null && (devices.value.get(device_id)?.downBecause ?? null) !== null;
}

export const counts = computed(() => countStates(rows.value.map(({ state }) => state)));

const keptEvents = 50;

/** The revision from which the next changes are read; undefined: everything is to be read. */
let revision: string | undefined;

let reading: Promise<void> | undefined;

/**
 * Reads everything again. What is shown stays until the new facts are there. The lists are read when `opened` resolves.
 */
export function readFacts(opened?: Promise<void>): Promise<void> {
  reading ??= readAll(opened).finally(() => {
    reading = undefined;
  });
  return reading;
}

async function readAll(opened = Promise.resolve()): Promise<void> {
  try {
    const others = Promise.all([readAccount(), opened.then(readLists)]);
    // Where the states cannot be read, nobody waits for the others.
    others.catch(() => {});
    // A part of the devices is not shown: the worst may be among the others, and a list would jump.
    const read = await readStates(undefined, (count) => {
      readSoFar.value = count;
    });
    devices.value = withChanges(new Map(), read.changes);
    revision = read.revision;
    await others;
    progress.value = 'ready';
    await readMissingResults();
  } catch (problem) {
    if (progress.value !== 'ready') progress.value = { problem };
  }
}

const refused = 1004;

/** Reads what changed of the devices since they were read. */
export async function readChanges(): Promise<void> {
  await reading;
  if (revision === undefined) return readFacts();
  try {
    const read = await readStates(revision);
    changeDevices(read.changes);
    revision = read.revision ?? revision;
  } catch (error) {
    // The revision is too old, or of another run of the database.
    if (error instanceof ApiProblem && error.code === refused) return readFacts();
    throw error;
  }
  await readMissingResults();
}

/** Reads what is short beside the devices. */
export const readLists = () => Promise.all([readAlerts(), readLocations(), readEvents()]);

async function readMissingResults(): Promise<void> {
  const isMissing = rows.value.some(
    ({ id, state, downBecause }) => state === 'Down' && downBecause === null && !results.value.has(id),
  );
  if (isMissing) results.value = new Map([...results.value, ...(await readResults())]);
}

async function readAccount(): Promise<void> {
  const { Timezone } = await take(api.GET('/account'));
  zone.value = Timezone;
  today.value = dateIn(Timezone, Date.now());
}

const listAlerts = (State: string) =>
  takeAnswer(api.GET('/alerts', { params: { query: { State, Limit: 100 } } }));

export async function readAlerts(): Promise<void> {
  const states = ['Open', 'Acknowledged', 'Snoozed'];
  const all = await listAlerts(states.join());
  // Where there are more, those of one state do not hide the others.
  const lists = all.hasMore ? await Promise.all(states.map(listAlerts)) : [all];
  storedAlerts.value = lists.flatMap(({ data }) => data).sort((a, b) => (a.Opened < b.Opened ? 1 : -1));
}

export async function readLocations(): Promise<void> {
  locations.value = (await takeAnswer(api.GET('/locations', { params: { query: { Limit: 100 } } }))).data;
}

async function readEvents(): Promise<void> {
  const before = new Set(events.value);
  const read = await take(api.GET('/events', { params: { query: { Limit: keptEvents } } }));
  // The stream may have brought newer ones meanwhile.
  const arrived = events.value.filter((event) => !before.has(event));
  events.value = withArrived(arrived, read, keptEvents);
}

/** Forgets everything: another account may sign in. */
export function forgetFacts(): void {
  devices.value = new Map();
  revision = undefined;
  readSoFar.value = 0;
  progress.value = 'loading';
  storedAlerts.value = [];
  locations.value = [];
  events.value = [];
  results.value = new Map();
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
