import { events } from '@vantage/client';
import { Fault } from '@vantage/kernel';
import { onEndRequest } from '../end-request.ts';
import { textOf } from '../json-values.ts';
import { printText } from '../print-answer.ts';
import { connect } from './api-connection.ts';
import { resourceNamed } from './api-resources.ts';
import { type ControllerAccess, createHttpsFetch } from './https-fetch.ts';
import type { ApiRow } from './read-rows.ts';
import { queryOf } from './request-fields.ts';
import { idOf } from './run-resources.ts';

const maxPastEvents = 100;

interface EventsRequest {
  readonly isFollowing: boolean;
  readonly limit: string;
  readonly form: 'text' | 'jsonl' | 'csv';
  /** `Name=value` of the API. */
  readonly filters: readonly string[];
}

/** Prints the last events, and with `isFollowing` new ones until the command is ended. */
export async function runEvents(
  access: ControllerAccess,
  { isFollowing, limit, form, filters }: EventsRequest,
): Promise<void> {
  const count = Number(limit);
  if (!Number.isInteger(count) || count < 0 || count > maxPastEvents)
    throw new Fault(
      'stop',
      'settings',
      `--limit ${limit} is not accepted; accepted are 0 to ${maxPastEvents}`,
    );
  if (form === 'csv' && isFollowing)
    throw new Fault('stop', 'settings', '-o csv cannot be used with --follow; --jsonl can');
  const show = (event: object) =>
    printText(form === 'jsonl' ? JSON.stringify(event) : lineOf(event as ApiRow));
  using connection = connect(access);
  const filterQuery = queryOf(filters);
  const query = { ...filterQuery, Limit: String(Math.max(1, count)) };
  if (form === 'csv') {
    const answer = await connection.call({ method: 'GET', path: '/events', query: { ...query, fmt: 'csv' } });
    process.stdout.write(await answer.text());
    return;
  }
  const past = (await (
    await connection.call({ method: 'GET', path: '/events', query })
  ).json()) as readonly ApiRow[];
  for (const event of past.slice(0, count).reverse()) show(event);
  if (!isFollowing) return;
  const ending = new AbortController();
  const end = () => ending.abort();
  using _request = onEndRequest(end, end);
  const { fetch, close } = createHttpsFetch(access);
  // The stream starts after the newest printed event, so that none is lost.
  const [newest] = past;
  const after = newest === undefined ? {} : { after: textOf(newest['event_id']) };
  const onBreak = (_: unknown, ms: number) =>
    void process.stderr.write(`The stream has ended. Reconnecting in ${Math.ceil(ms / 1000)} s.\n`);
  try {
    const url = `${access.server}/events?${new URLSearchParams({ ...filterQuery, stream: '1' }).toString()}`;
    for await (const event of events(fetch, url, { ...after, signal: ending.signal, onBreak })) show(event);
  } finally {
    close();
  }
}

/** `2026-03-01T10:00:00+01:00  Down  web-1  Oslo  Connection refused`. */
function lineOf(event: ApiRow): string {
  return `${textOf(event['Timestamp'])}  ${eventText(event)}`;
}

/** `Down  web-1  Oslo  Connection refused`. */
function eventText({ Type, ShortName, FullName, Location, CheckResult, Message }: ApiRow): string {
  const parts = [Type, FullName ?? ShortName, Location, CheckResult ?? Message];
  return parts.flatMap((part) => (typeof part === 'string' && part !== '' ? [part] : [])).join('  ');
}

/** An event as a line of `vantage logs`. */
interface DeviceEvent {
  readonly atMs: number;
  readonly text: string;
  readonly event: ApiRow;
}

/** Reads the id of a device and its last events. Throws a Fault where the name matches no device, or several. */
export async function readDeviceEvents(
  access: ControllerAccess,
  name: string,
  { fromMs, maxEvents }: { readonly fromMs: number; readonly maxEvents: number },
): Promise<{ readonly id: string; readonly events: readonly DeviceEvent[] }> {
  using connection = connect(access);
  const id = await idOf(connection, resourceNamed('devices'), name);
  const since = fromMs > 0 ? { Timestamp1: `${new Date(fromMs).toISOString().slice(0, 19)}Z` } : {};
  const query = { Device: id, Limit: String(maxEvents), ...since };
  const answer = await connection.call({ method: 'GET', path: '/events', query });
  const rows = (await answer.json()) as readonly ApiRow[];
  return {
    id,
    events: rows.map((event) => ({
      atMs: Date.parse(textOf(event['Timestamp'])),
      text: eventText(event),
      event,
    })),
  };
}
