import { dayAfter } from '../model/day.ts';
import {
  type AccountEvent,
  addEvents,
  addResults,
  changeDevices,
  devices,
  progress,
  readChanges,
  readFacts,
  readLists,
  readLocations,
  results,
} from './account-state.ts';
import type { KnownDevice } from './known-device.ts';
import { readMissingAlerts, refreshAlerts } from './overview-facts.ts';
import { soon } from './soon.ts';
import { followEvents } from './stream.ts';

/** The types of events after which alerts or Locations are read again. */
const affectsAlerts = /^Alert|^Down$|^Up$|^Partial$|^Recovered$|^Location|^Agent|^Anchor/;
const affectsLocations = /^Location|^Agent|^Anchor/;
/** Events that arrive within this time are shown together, so that many events cost little. */
const togetherMs = 200;
/** The minimum time between two reads of the same list. */
const minIntervalMs = 4_000;
/** The interval for reading changes that have no event. */
const quietMs = 60_000;
/** The delay before another attempt, if the first facts cannot be read. */
const againMs = 10_000;
/** The maximum time for which the first read of the lists waits for the stream. */
const openMs = 1_000;

/** Keeps the facts up to date by the event stream until `ending` aborts. */
export function followFacts(ending: AbortSignal): Promise<void> {
  // `rest`: a large list of alerts has many pages.
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
  let waiting: AccountEvent[] = [];
  const showSoon = soon(
    async () => {
      const arrived = waiting;
      waiting = [];
      showEvents(arrived);
    },
    { afterMs: togetherMs, apartMs: togetherMs },
    ending,
  );
  const onEvent = (data: unknown) => {
    const event = data as AccountEvent; // the stream of our own API
    waiting.push(event);
    showSoon();
    if (affectsAlerts.test(event.Type)) alertsSoon();
    if (affectsLocations.test(event.Type)) locationsSoon();
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
  // Events before the start of the stream are among the changes since the facts were read. Lists that are read after
  // its start include them.
  const onGap = () => {
    if (areListsOld) return void readAgain();
    readListsNow();
    readChanges().catch(() => {});
  };
  return followEvents({ onEvent, onGap }, ending);
}

/** Reads everything that may have changed. After a failure the old facts stay; the page shows their age. */
async function readAgain(): Promise<void> {
  // A missing event may have had another result.
  results.value = new Map();
  await readChanges().catch(() => {});
  await readLists().catch(() => {});
  await readMissingAlerts().catch(() => {});
}

/** Shows the facts in events at once, the oldest first. The devices are read again soon. */
function showEvents(arrived: readonly AccountEvent[]): void {
  const changes = new Map<string, KnownDevice>();
  const newResults = new Map<string, string>();
  for (const event of arrived) {
    const id = event.device_id;
    const before = id === null ? undefined : (changes.get(id) ?? devices.value.get(id));
    if (id === null || before === undefined) continue;
    changes.set(id, afterEvent(before, event));
    if (event.CheckResult !== null) newResults.set(id, event.CheckResult);
  }
  addEvents(arrived);
  changeDevices(changes);
  addResults(newResults);
}

function afterEvent(before: KnownDevice, { Type, Status, Timestamp }: AccountEvent): KnownDevice {
  const isRetrying = Type === 'Error' || (before.isRetrying && Type === 'Partial');
  if (before.status === Status) return { ...before, isRetrying };
  const at = Date.parse(Timestamp);
  const day = dayAfter(before.day, { at, before: before.status, status: Status });
  return { ...before, status: Status, sinceMs: at, isRetrying, day };
}
