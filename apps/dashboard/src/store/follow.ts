import { dayAfter } from '../model/day.ts';
import {
  addEvents,
  addResults,
  changeDevices,
  devices,
  type Event,
  readAlerts,
  readChanges,
  readFacts,
  readLists,
  readLocations,
} from './account-state.ts';
import type { DeviceFacts } from './device-facts.ts';
import { followEvents } from './stream.ts';

/** The data that an event changes beside its device. */
const ofAlerts = /^Alert|^Down$|^Up$|^Partial$|^Recovered$|^Location|^Agent|^Anchor/;
const ofLocations = /^Location|^Agent|^Anchor/;
/** Events are shown together this often, so that a storm of them costs little. */
const togetherMs = 200;
/** Lists are read again at most this often. */
const minIntervalMs = 4_000;
/** Changes that have no event are asked for this often. */
const quietMs = 60_000;
/** The first lists wait this long for the stream at most. */
const openMs = 1_000;

/** Keeps the facts as new as the stream until `ending` aborts. */
export function followFacts(ending: AbortSignal): Promise<void> {
  const alertsSoon = soon(readAlerts, 300, minIntervalMs, ending);
  const locationsSoon = soon(readLocations, 300, minIntervalMs, ending);
  const changesSoon = soon(readChanges, 500, minIntervalMs, ending);
  let waiting: Event[] = [];
  const showSoon = soon(
    async () => {
      const given = waiting;
      waiting = [];
      showEvents(given);
    },
    togetherMs,
    togetherMs,
    ending,
  );
  const onEvent = (given: unknown) => {
    const event = given as Event; // the stream of our own API
    waiting.push(event);
    showSoon();
    if (ofAlerts.test(event.Type)) alertsSoon();
    if (ofLocations.test(event.Type)) locationsSoon();
    if (event.device_id !== null) changesSoon();
  };
  const timer = setInterval(() => document.hidden || changesSoon(), quietMs);
  ending.addEventListener('abort', () => clearInterval(timer), { once: true });
  const { promise: opened, resolve } = Promise.withResolvers<void>();
  let areListsOld = false;
  const readListsNow = () => {
    areListsOld = true;
    resolve();
  };
  setTimeout(readListsNow, openMs);
  void readFacts(opened);
  // What happened before the stream began is among the changes since the facts were read. Lists that are read when it
  // has begun have it.
  const onGap = () => {
    if (areListsOld) return void readAgain();
    readListsNow();
    readChanges().catch(() => {});
  };
  return followEvents({ onEvent, onGap }, ending);
}

/** A failure leaves what is shown: its age says so. */
async function readAgain(): Promise<void> {
  await readChanges().catch(() => {});
  await readLists().catch(() => {});
}

/** Shows at once what the events themselves say, the oldest first; the devices are read again soon. */
function showEvents(given: readonly Event[]): void {
  const changes = new Map<string, DeviceFacts>();
  const said = new Map<string, string>();
  for (const event of given) {
    const id = event.device_id;
    const before = id === null ? undefined : (changes.get(id) ?? devices.value.get(id));
    if (id === null || before === undefined) continue;
    changes.set(id, afterEvent(before, event));
    if (event.CheckResult !== null) said.set(id, event.CheckResult);
  }
  addEvents(given);
  changeDevices(changes);
  addResults(said);
}

function afterEvent(before: DeviceFacts, { Type, Status, Timestamp }: Event): DeviceFacts {
  const isRetrying = Type === 'Error' || (before.isRetrying && Type === 'Partial');
  if (before.status === Status) return { ...before, isRetrying };
  const at = Date.parse(Timestamp);
  const day = dayAfter(before.day, { at, before: before.status, status: Status });
  return { ...before, status: Status, sinceMs: at, isRetrying, day };
}

/**
 * Runs the work after a while, once for all calls until then, never twice within `apart`, and not after `ending`
 * aborted. A failure leaves what is shown: its age says so.
 */
function soon(work: () => Promise<void>, ms: number, apart: number, ending: AbortSignal): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (timer !== undefined) return;
    timer = setTimeout(
      () => {
        timer = undefined;
        lastAt = performance.now();
        if (!ending.aborted) work().catch(() => {});
      },
      Math.max(ms, lastAt + apart - performance.now()),
    );
  };
}
