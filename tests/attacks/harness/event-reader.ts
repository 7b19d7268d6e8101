import { request } from 'node:https';
import { z } from 'zod';

const record = z.object({
  event_id: z.string(),
  device_id: z.string().nullable(),
  Type: z.string(),
  Message: z.string(),
});

/** Follows an account's events. A stream that ends, is silent for 40 s or repeats an event counts as a break. */
export interface EventReader {
  /** Resolves when the stream is open. */
  readonly opened: Promise<void>;
  begin(): void;
  /** The number of events of these kinds for the device whose events are expected, at most the number that is named. */
  count(types: readonly string[]): number;
  take(): { readonly breaks: string[]; readonly foreign: string[]; readonly events: number };
}

const silenceMs = 40_000;

/** Opens the stream. `changed` is the device whose events are expected; events of other devices count as foreign. */
export function openEvents(ask: {
  readonly url: string;
  readonly ca: string;
  readonly key: string;
  readonly changed: string;
}): EventReader {
  let breaks: string[] = [];
  let foreign: string[] = [];
  let seen: string[] = [];
  const ids = new Set<string>();
  const broke = (why: string) => void breaks.push(why);
  const onLine = (line: string) => {
    if (!line.startsWith('data: ')) return;
    const event = record.parse(JSON.parse(line.slice(6)));
    if (ids.has(event.event_id)) broke(`the event ${event.event_id} came twice`);
    ids.add(event.event_id);
    if (event.device_id === ask.changed) seen.push(event.Type);
    else foreign.push(`${event.Type} of ${event.device_id}: ${event.Message}`);
  };
  const opened = new Promise<void>((resolve, reject) => {
    const req = request(
      ask.url,
      { ca: ask.ca, agent: false, headers: { 'Service-API-Key': ask.key } },
      (res) => {
        if (res.statusCode !== 200) reject(new Error(`the event stream was answered with ${res.statusCode}`));
        resolve();
        let rest = '';
        res.setEncoding('utf8');
        res.on('data', (chunk: string) => {
          const lines = (rest + chunk).split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines) onLine(line);
        });
        res.on('error', (error) => broke(`the event stream broke: ${error.message}`));
        res.on('close', () => broke('the event stream ended'));
      },
    );
    req.setTimeout(silenceMs, () => broke('the event stream was silent'));
    req.on('error', (error) => {
      broke(`the event stream broke: ${error.message}`);
      reject(error);
    });
    req.end();
  });
  return {
    opened,
    begin() {
      breaks = [];
      foreign = [];
      seen = [];
    },
    count(types) {
      const expected = Map.groupBy(types, (type) => type);
      return [...expected].reduce(
        (sum, [type, all]) => sum + Math.min(all.length, seen.filter((other) => other === type).length),
        0,
      );
    },
    take: () => ({ breaks, foreign, events: seen.length }),
  };
}
