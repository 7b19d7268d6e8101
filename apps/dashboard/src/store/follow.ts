import { dayAfter } from '../model/day.ts';
import {
  addEvents,
  addResults,
  changeDevices,
  devices,
  type Event,
  progress,
  readChanges,
  readFacts,
  readLists,
  readLocations,
  results,
} from './account-state.ts';
import type { DeviceFacts } from './device-facts.ts';
import { readMissingAlerts, refreshAlerts } from './overview-facts.ts';
import { soon } from './soon.ts';
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
/** Where the first facts cannot be read, they are read again after this. */
const againMs = 10_000;
/** The first lists wait this long for the stream at most. */
const openMs = 1_000;

/** Keeps the facts as new as the stream until `ending` aborts. */
export function followFacts(ending: AbortSignal): Promise<void> {
  // A large list of alerts has many pages.
  const alertsSoon = soon(refreshAlerts, { afterMs: 300, apartMs: minIntervalMs, rest: 4 }, ending);
  const locationsSoon = soon(readLocations, { afterMs: 300, apartMs: minIntervalMs }, ending);
  const changesSoon = soon(
    async () => {
      await readChanges();
      await readMissingAlerts();
    },
    { afterMs: 500, apartMs: minIntervalMs },
    ending,
  );
  let waiting: Event[] = [];
  const showSoon = soon(
    async () => {
      const given = waiting;
      waiting = [];
      showEvents(given);
    },
    { afterMs: togetherMs, apartMs: togetherMs },
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
  const timer = setInterval(() => {
    if (document.hidden) return;
    changesSoon();
    // A snooze ends without an event.
    alertsSoon();
    locationsSoon();
  }, quietMs);
  ending.addEventListener('abort', () => clearInterval(timer), { once: true });
  const { promise: opened, resolve } = Promise.withResolvers<void>();
  let areListsOld = false;
  const readListsNow = () => {
    areListsOld = true;
    resolve();
  };
  setTimeout(readListsNow, openMs);
  const readAtFirst = soon(
    async () => {
      await readFacts(opened);
      if (progress.value === 'ready') return readMissingAlerts();
      readAtFirst();
    },
    { afterMs: 0, apartMs: againMs },
    ending,
  );
  readAtFirst();
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
  // An event that is missing may have said something else.
  results.value = new Map();
  await readChanges().catch(() => {});
  await readLists().catch(() => {});
  await readMissingAlerts().catch(() => {});
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
