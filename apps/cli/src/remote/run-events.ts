import { events } from '@vantage/client';
import { Fault } from '@vantage/kernel';
import { textOf } from '../json-text.ts';
import { printText } from '../output.ts';
import { whenAskedToEnd } from '../signals.ts';
import { connect } from './connection.ts';
import { queryOf } from './fields.ts';
import { type ControllerAccess, createHttpsFetch } from './https-fetch.ts';
import { resourceNamed } from './resources.ts';
import type { Row } from './rows.ts';
import { idOf } from './run-resources.ts';

const mostPast = 100;

/** Which events are shown, and how. */
interface Asked {
  readonly isFollowing: boolean;
  readonly limit: string;
  readonly form: 'text' | 'jsonl' | 'csv';
  /** `Name=value` as the API narrows events. */
  readonly filters: readonly string[];
}

/** Prints the last events, and with `isFollowing` each one that happens until the command is ended. */
export async function runEvents(
  access: ControllerAccess,
  { isFollowing, limit, form, filters }: Asked,
): Promise<void> {
  const count = Number(limit);
  if (!Number.isInteger(count) || count < 0 || count > mostPast)
    throw new Fault('stop', 'settings', `--limit ${limit} is not accepted; accepted are 0 to ${mostPast}`);
  if (form === 'csv' && isFollowing)
    throw new Fault('stop', 'settings', '-o csv cannot be used with --follow; --jsonl can');
  const show = (event: object) => printText(form === 'jsonl' ? JSON.stringify(event) : lineOf(event as Row));
  using connection = connect(access);
  const narrowed = queryOf(filters);
  const query = { ...narrowed, Limit: String(Math.max(1, count)) };
  if (form === 'csv') {
    const answer = await connection.call({ method: 'GET', path: '/events', query: { ...query, fmt: 'csv' } });
    process.stdout.write(await answer.text());
    return;
  }
  const past = (await (
    await connection.call({ method: 'GET', path: '/events', query })
  ).json()) as readonly Row[];
  for (const event of past.slice(0, count).reverse()) show(event);
  if (!isFollowing) return;
  const ending = new AbortController();
  const end = () => ending.abort();
  using _request = whenAskedToEnd(end, end);
  const { fetch, close } = createHttpsFetch(access);
  // After the newest one that was shown, so that nothing between both is lost.
  const [newest] = past;
  const after = newest === undefined ? {} : { after: textOf(newest['event_id']) };
  const onBreak = (_: unknown, ms: number) =>
    void process.stderr.write(`The stream has ended; it is opened again in ${Math.ceil(ms / 1000)} s.\n`);
  try {
    const url = `${access.server}/events?${new URLSearchParams({ ...narrowed, stream: '1' }).toString()}`;
    for await (const event of events(fetch, url, { ...after, signal: ending.signal, onBreak })) show(event);
  } finally {
    close();
  }
}

/** `2026-03-01T10:00:00+01:00  Down  web-1  Oslo  Connection refused`. */
function lineOf(event: Row): string {
  return `${textOf(event['Timestamp'])}  ${eventText(event)}`;
}

/** `Down  web-1  Oslo  Connection refused`. */
function eventText({ Type, ShortName, FullName, Location, CheckResult, Message }: Row): string {
  const parts = [Type, FullName ?? ShortName, Location, CheckResult ?? Message];
  return parts.flatMap((part) => (typeof part === 'string' && part !== '' ? [part] : [])).join('  ');
}

/** An event with its text for people. */
interface DeviceEvent {
  readonly atMs: number;
  readonly text: string;
  readonly event: Row;
}

/** The id of a device, and its last events since a moment. Throws a Fault for a name that no device or several have. */
export async function readDeviceEvents(
  access: ControllerAccess,
  name: string,
  { fromMs, most }: { readonly fromMs: number; readonly most: number },
): Promise<{ readonly id: string; readonly events: readonly DeviceEvent[] }> {
  using connection = connect(access);
  const id = await idOf(connection, resourceNamed('devices'), name);
  const since = fromMs > 0 ? { Timestamp1: `${new Date(fromMs).toISOString().slice(0, 19)}Z` } : {};
  const query = { Device: id, Limit: String(most), ...since };
  const answer = await connection.call({ method: 'GET', path: '/events', query });
  const rows = (await answer.json()) as readonly Row[];
  return {
    id,
    events: rows.map((event) => ({
      atMs: Date.parse(textOf(event['Timestamp'])),
      text: eventText(event),
      event,
    })),
  };
}
