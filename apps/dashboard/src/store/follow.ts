import { addEvent, devices, type Event, putDevice, readAlerts, readFacts, readLocations } from './facts.ts';
import { readDevice } from './read-devices.ts';
import { followEvents } from './stream.ts';

/** What an event changes beside the device that it names. */
const ofAlerts = /^Alert|^Down$|^Up$|^Partial$|^Recovered$|^Location|^Agent|^Anchor/;
const ofLocations = /^Location|^Agent|^Anchor/;
/** Many changed devices are read together once. */
const manyDevices = 20;

/** Keeps the facts as new as the stream until `ending` aborts. */
export function followFacts(ending: AbortSignal): Promise<void> {
  const alertsSoon = soon(readAlerts, 300);
  const locationsSoon = soon(readLocations, 300);
  const changed = new Set<string>();
  const changedSoon = soon(async () => {
    const ids = [...changed];
    changed.clear();
    if (ids.length > manyDevices) return readFacts();
    await Promise.all(ids.map(async (id) => putDevice(id, await readDevice(id))));
  }, 500);
  const onEvent = (given: unknown) => {
    const event = given as Event; // the stream of our own API
    addEvent(event);
    if (ofAlerts.test(event.Type)) alertsSoon();
    if (ofLocations.test(event.Type)) locationsSoon();
    if (event.device_id === null) return;
    applyEvent(event.device_id, event);
    changed.add(event.device_id);
    changedSoon();
  };
  return followEvents({ onEvent, onGap: () => void readFacts() }, ending);
}

/** Shows at once what the event itself says; the device is read again soon. */
function applyEvent(id: string, { Type, Status, Timestamp, CheckResult }: Event): void {
  const known = devices.value.get(id);
  if (known === undefined) return;
  const sinceMs = known.status === Status ? known.sinceMs : Date.parse(Timestamp);
  const isRetrying = Type === 'Error' || (known.isRetrying && Type === 'Partial');
  putDevice(id, {
    ...known,
    status: Status,
    sinceMs,
    isRetrying,
    lastResult: CheckResult ?? known.lastResult,
  });
}

/** Runs the work after a while, once for all calls until then. A failure leaves what is shown: its age says so. */
function soon(work: () => Promise<void>, ms: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    if (timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      work().catch(() => {});
    }, ms);
  };
}
