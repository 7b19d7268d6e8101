// A process that asks a controller for what so many open pages ask: each reads all devices, then follows the
// events, and reads what changed and the open alerts at most each 4 s, as apps/dashboard/src/store/follow.ts does.
// Usage: page.ts starts it with the base URL, a key and the number of pages. It sends its parent how many have read
// everything, and answers 'count' with the events and requests since the last count.
import { setTimeout as delay } from 'node:timers/promises';

const [base = '', key = '', pages = '0'] = process.argv.slice(2);
const headers = { 'Service-API-Key': key };
const apartMs = 4_000;
let [events, requests, failures] = [0, 0, 0];

async function read(path: string): Promise<Headers> {
  requests += 1;
  const answer = await fetch(`${base}${path}`, { headers });
  await answer.arrayBuffer();
  if (!answer.ok) failures += 1;
  return answer.headers;
}

const states = '/states?Limit=1000&With=Tags,Locations,LastCheck,Day';

/** Reads pages of states. Resolves with the revision for the next changes. */
async function readStates(since: string | undefined): Promise<string | undefined> {
  const asked = since === undefined ? states : `${states}&ChangedSince=${since}`;
  const first = await read(asked);
  let next = /<([^>]+)>; rel="next"/.exec(first.get('Link') ?? '')?.[1];
  while (next !== undefined) {
    const after = await read(next.slice(next.indexOf('/states')));
    next = /<([^>]+)>; rel="next"/.exec(after.get('Link') ?? '')?.[1];
  }
  return first.get('Vantage-Revision') ?? since;
}

const readAlerts = () =>
  Promise.all(['Open', 'Acknowledged', 'Snoozed'].map((state) => read(`/alerts?State=${state}&Limit=100`)));

async function openPage(): Promise<void> {
  let revision = await readStates(undefined);
  await Promise.all([readAlerts(), read('/locations?Limit=100'), read('/events?Limit=50')]);
  const stream = await fetch(`${base}/events?stream=1`, { headers });
  const decoder = new TextDecoder();
  let isReading = false;
  const follow = async () => {
    if (isReading) return;
    isReading = true;
    await delay(500);
    [revision] = await Promise.all([readStates(revision), readAlerts()]);
    await delay(apartMs);
    isReading = false;
  };
  const take = async () => {
    for await (const piece of stream.body ?? []) {
      const found = decoder.decode(piece, { stream: true }).match(/^data:/gm)?.length ?? 0;
      events += found;
      if (found > 0) void follow().catch(() => (failures += 1));
    }
  };
  void take().catch(() => (failures += 1));
}

process.on('disconnect', () => process.exit(0));
process.on('message', () => {
  process.send?.({ events, requests, failures });
  [events, requests, failures] = [0, 0, 0];
});
for (let at = 0; at < Number(pages); at += 1) await openPage();
process.send?.({ opened: Number(pages) });
