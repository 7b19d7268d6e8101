// A process that sends a controller the requests of several open pages: each reads all devices, then follows the
// events, and reads what changed and the open alerts at most each 4 s, as apps/dashboard/src/store/follow.ts does.
// Usage: page.ts starts it with the base URL, keys joined by commas (pages take them in turn) and the number of
// pages. It sends its parent how many have read everything, and answers 'count' with the events and requests since
// the last count.
import { setTimeout as delay } from 'node:timers/promises';

const [base = '', keys = '', pages = '0'] = process.argv.slice(2);
type Headed = Readonly<Record<'Service-API-Key', string>>;
/** Pages that open at once. */
const atOnce = 4;
const minIntervalMs = 4_000;
let [events, requests, failures] = [0, 0, 0];

async function read(headers: Headed, path: string): Promise<Headers> {
  requests += 1;
  const answer = await fetch(`${base}${path}`, { headers });
  await answer.arrayBuffer();
  if (!answer.ok) failures += 1;
  return answer.headers;
}

const plain = '/states?Limit=10000';
const states = '/states?Limit=1000&With=Tags,Locations,LastCheck,Day';

/** Reads pages of states. Resolves with the revision for the next changes. */
async function readStates(headers: Headed, since: string | undefined): Promise<string | undefined> {
  // Names and states of all devices come first.
  const all = since === undefined ? await read(headers, plain) : undefined;
  const asked = since === undefined ? states : `${states}&ChangedSince=${since}`;
  const first = await read(headers, asked);
  let next = /<([^>]+)>; rel="next"/.exec(first.get('Link') ?? '')?.[1];
  while (next !== undefined) {
    const after = await read(headers, next.slice(next.indexOf('/states')));
    next = /<([^>]+)>; rel="next"/.exec(after.get('Link') ?? '')?.[1];
  }
  return (all ?? first).get('Vantage-Revision') ?? since;
}

/** Reads the alerts that are not suppressed, and those that are. */
const readAlerts = (headers: Headed) =>
  Promise.all(
    ['false', 'true'].map((suppressed) =>
      read(headers, `/alerts?State=Open,Acknowledged,Snoozed&Suppressed=${suppressed}&Limit=100`),
    ),
  );

async function openPage(headers: Headed): Promise<void> {
  let revision = await readStates(headers, undefined);
  await Promise.all([readAlerts(headers), read(headers, '/locations'), read(headers, '/events?Limit=50')]);
  let isReading = false;
  const follow = async () => {
    if (isReading) return;
    isReading = true;
    try {
      await delay(500);
      [revision] = await Promise.all([readStates(headers, revision), readAlerts(headers)]);
      await delay(minIntervalMs);
    } finally {
      isReading = false;
    }
  };
  await new Promise<void>((opened) => {
    void followEvents(headers, opened, () => void follow().catch(() => (failures += 1)));
  });
}

/** Follows the stream of events, and opens it again when it ends, as a controller that restarts does. */
async function followEvents(headers: Headed, opened: () => void, onEvents: () => void): Promise<never> {
  while (true) {
    try {
      const stream = await fetch(`${base}/events?stream=1`, { headers });
      if (!stream.ok) failures += 1;
      opened();
      const decoder = new TextDecoder();
      for await (const piece of stream.body ?? []) {
        const found = decoder.decode(piece, { stream: true }).match(/^data:/gm)?.length ?? 0;
        events += found;
        if (found > 0) onEvents();
      }
    } catch {
      failures += 1;
    }
    await delay(minIntervalMs);
  }
}

process.on('disconnect', () => process.exit(0));
process.on('message', () => {
  process.send?.({ events, requests, failures });
  [events, requests, failures] = [0, 0, 0];
});
const people = keys.split(',');
let opened = 0;
async function openNext(): Promise<void> {
  while (opened < Number(pages)) {
    opened += 1;
    await openPage({ 'Service-API-Key': people[opened % people.length] ?? '' });
  }
}
await Promise.all(Array.from({ length: atOnce }, openNext));
process.send?.({ opened: Number(pages) });
