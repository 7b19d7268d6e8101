import { computed, signal } from '@preact/signals';
import type { Schemas } from '@vantage/client';
import { countStates, type State, type StateFacts, stateOf } from '../model/state.ts';
import { api, take, takeAnswer } from './api.ts';
import { today, zone } from './clock.ts';
import { readDevices, readTags } from './read-devices.ts';

export type Alert = Schemas['Alert'];
export type Event = Schemas['Event'];
export type Location = Schemas['Location'];

/** What the page knows of a device in lists. */
export interface DeviceFacts extends Omit<StateFacts, 'isPartial'> {
  readonly id: string;
  readonly name: string;
  readonly shortName: string;
  readonly method: string;
  readonly url: string;
  readonly sinceMs: number;
  readonly maintenanceUntil: string | null;
  readonly downBecause: string | null;
  readonly lastResult: string | null;
  readonly severity: string;
  readonly tags: readonly string[];
}

/** A device with the word that a list shows. */
export interface DeviceRow extends DeviceFacts {
  readonly state: State;
}

/** How far the facts are read. */
export type Progress = 'loading' | 'ready' | { readonly problem: unknown };

export const devices = signal<ReadonlyMap<string, DeviceFacts>>(new Map());
export const progress = signal<Progress>('loading');
/** Open, acknowledged and snoozed ones, newest first. */
export const alerts = signal<readonly Alert[]>([]);
export const locations = signal<readonly Location[]>([]);
/** The newest events, newest first. */
export const events = signal<readonly Event[]>([]);

const partial = computed(
  () =>
    new Set(alerts.value.filter(({ Kind }) => Kind === 'device.partial').map(({ device_id }) => device_id)),
);

/** Every device with its state. */
export const rows = computed<readonly DeviceRow[]>(() =>
  [...devices.value.values()].map((facts) => ({
    ...facts,
    state: stateOf({ ...facts, isPartial: partial.value.has(facts.id) }),
  })),
);

/** Whether an alert is only a symptom: its device is Down because a master is, which has an alert of its own. */
export function isSuppressed({ device_id }: Alert): boolean {
  return device_id !== null && (devices.value.get(device_id)?.downBecause ?? null) !== null;
}

export const counts = computed(() => countStates(rows.value.map(({ state }) => state)));

const keptEvents = 50;

/** Reads everything again. What is shown stays until the new facts are there. */
export async function readFacts(): Promise<void> {
  try {
    const [account] = await Promise.all([
      take(api.GET('/account')),
      readAlerts(),
      readLocations(),
      readEvents(),
    ]);
    zone.value = account.Timezone;
    today.value = new Intl.DateTimeFormat('sv-SE', { timeZone: account.Timezone }).format(Date.now());
    const read = new Map<string, DeviceFacts>();
    const isFirst = devices.value.size === 0;
    await readDevices((page) => {
      for (const facts of page) read.set(facts.id, facts);
      if (isFirst) devices.value = new Map(read);
    });
    for (const [id, facts] of read) {
      const known = devices.value.get(id);
      read.set(id, { ...facts, tags: known?.tags ?? [] });
    }
    devices.value = read;
    progress.value = 'ready';
    const tags = await readTags();
    devices.value = new Map(
      [...devices.value].map(([id, facts]) => [id, { ...facts, tags: tags.get(id) ?? [] }] as const),
    );
  } catch (problem) {
    if (progress.value !== 'ready') progress.value = { problem };
  }
}

export async function readAlerts(): Promise<void> {
  const states = ['Open', 'Acknowledged', 'Snoozed'] as const;
  const lists = await Promise.all(
    states.map((State) => take(api.GET('/alerts', { params: { query: { State, Limit: 100 } } }))),
  );
  alerts.value = lists.flat().sort((a, b) => (a.Opened < b.Opened ? 1 : -1));
}

export async function readLocations(): Promise<void> {
  locations.value = (await takeAnswer(api.GET('/locations', { params: { query: { Limit: 100 } } }))).data;
}

async function readEvents(): Promise<void> {
  events.value = await take(api.GET('/events', { params: { query: { Limit: keptEvents } } }));
}

/** Forgets everything: another account may sign in. */
export function forgetFacts(): void {
  devices.value = new Map();
  progress.value = 'loading';
  alerts.value = [];
  locations.value = [];
  events.value = [];
}

/** Adds an event that the stream brought. */
export function addEvent(event: Event): void {
  if (events.value.some(({ event_id }) => event_id === event.event_id)) return;
  events.value = [event, ...events.value].slice(0, keptEvents);
}

/** Changes what is known of one device; undefined removes it. */
export function putDevice(id: string, change: DeviceFacts | undefined): void {
  const next = new Map(devices.value);
  if (change === undefined) next.delete(id);
  else next.set(id, change);
  devices.value = next;
}
