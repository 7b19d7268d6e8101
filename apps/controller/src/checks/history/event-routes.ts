import { eventTypes } from '@vantage/health';
import type { Clock } from '@vantage/kernel';
import { z } from 'zod';
import type { Db } from '../../platform/db/index.ts';
import { idField, timestampField } from '../../rest/http/field.ts';
import { someOf } from '../../rest/http/members.ts';
import { deviceQuery, readDeviceNos, readTagNos, tagQuery } from '../../rest/http/named.ts';
import {
  beforeQuery,
  cutCursor,
  readCursor,
  sentLimit,
  timestampQuery,
  usualRows,
} from '../../rest/http/paging.ts';
import { invalid, missing } from '../../rest/http/problem.ts';
import { type Call, noSubject, type Route, route } from '../../rest/http/route.ts';
import type { Session } from '../../rest/http/session.ts';
import { readUntil } from '../../rest/http/time-span.ts';
import type { Zone } from '../../rest/http/zone.ts';
import type { DeviceSubject } from './check-routes.ts';
import type { EventFeed } from './event-feed.ts';
import {
  type EventFilter,
  type EventPage,
  type EventRow,
  type EventScope,
  findEventPlace,
  listEvents,
  readLastEventNo,
} from './event-store.ts';
import { openEventStream, positionOf } from './event-stream.ts';
import { historyQuery, readHistoryFilter } from './list-filters.ts';

const tag = 'Events';

const eventRecord = z
  .strictObject({
    event_id: idField,
    device_id: idField.nullable().describe('null: the event is about a Location or an agent.'),
    ShortName: z
      .string()
      .nullable()
      .describe("The device's; null where the event is about a Location or an agent."),
    FullName: z.string().nullable(),
    Timestamp: timestampField.describe('End of the check that caused it.'),
    Type: z
      .string()
      .meta({ description: 'What changed.', override: { type: 'string', enum: [...eventTypes] } }),
    Status: z
      .string()
      .describe(
        "The device's status after it; of a Location Unknown while it is offline, Up when it is online.",
      ),
    Location: z.string().nullable(),
    location_id: idField.nullable(),
    CheckResult: z.string().nullable(),
    check_id: idField.nullable(),
    Message: z.string(),
    Duration: z.int().nullable().describe('Seconds of the state that just ended.'),
    Late: z.boolean().describe('Its check arrived late, after a cut.'),
  })
  .meta({ id: 'Event' });

const query = z.object({
  Timestamp: timestampQuery(
    'Events before this moment; default: now. A timestamp in whole seconds includes that whole second.',
  ),
  ...historyQuery,
  Type: someOf(eventTypes, 'Events of these types only.', { of: { field: 'Type', what: 'type of event' } }),
  ...beforeQuery('event_id'),
});

const accountQuery = z.object({
  ...query.shape,
  Device: deviceQuery('events of these devices only'),
  Tag: tagQuery('events of devices that have one of them now only'),
});

const streamQuery = z.object({
  ...accountQuery.shape,
  Limit: sentLimit,
  stream: z
    .enum(['', '1', 'true', 'Y', '0', 'false', 'N'])
    .optional()
    .describe(
      'Server-sent events instead: each new event once, as it is recorded; Last-Event-ID resumes after that event. It obeys Type, Location, Device and Tag, and refuses the other parameters.',
    ),
});
/** Parameters that make no sense for events that are still to come. */
const pastOnly = ['Timestamp', 'Timestamp1', 'Timestamp2', 'Limit', 'Offset', 'Before'] as const;
const noStream: readonly (string | undefined)[] = [undefined, '0', 'false', 'N'];

type Reader = Pick<
  Call<unknown, unknown, unknown>,
  'session' | 'sessionNow' | 'scoped' | 'lastEventId' | 'signal'
>;

/** Events of a device and of the whole account, newest first; the account's also as a stream. */
export function eventRoutes({
  db,
  clock,
  device,
  feed,
}: {
  readonly db: Db;
  readonly clock: Clock;
  readonly device: DeviceSubject;
  readonly feed: EventFeed;
}): Route[] {
  const read = async (session: Session, scope: EventScope, asked: z.output<typeof accountQuery>) => {
    const page = await readEventPage({ db, clock }, session, scope, asked);
    const { rows, next } = cutCursor(
      await listEvents(db, scope, page),
      page.limit,
      'before',
      (row) => row.event_id,
    );
    return { body: rows.map((row) => showEvent(row, session.zone)), next };
  };
  const shared = {
    method: 'GET',
    readsHistory: true,
    level: 'UR',
    tag,
    response: z.array(eventRecord),
    names: { root: 'events', row: 'event', id: 'event_id' },
  } as const;
  return [
    route({
      ...shared,
      path: '/devices/{device_id}/events',
      summary: "A device's events, newest first.",
      subject: device,
      query,
      handler: ({ session, subject, query: asked }) => read(session, { deviceNo: subject.device_no }, asked),
    }),
    route({
      ...shared,
      path: '/events',
      summary: "The account's events, newest first; with stream as server-sent events.",
      subject: noSubject,
      query: streamQuery,
      streams: 'events',
      handler: (call) =>
        noStream.includes(call.query.stream)
          ? read(
              call.session,
              { accountNo: call.session.accountNo },
              { ...call.query, Limit: call.query.Limit ?? usualRows },
            )
          : follow({ db, clock, feed }, call, call.query),
    }),
  ];
}

/** A stream of the account's events. Throws a Problem (1003) where Last-Event-ID is no event of the account. */
async function follow(
  { db, clock, feed }: { readonly db: Db; readonly clock: Clock; readonly feed: EventFeed },
  { session, sessionNow, scoped, lastEventId, signal }: Reader,
  asked: z.output<typeof streamQuery>,
) {
  const past = pastOnly.filter((name) => asked[name] !== undefined);
  if (past.length > 0)
    throw invalid(
      past.map((field) => ({ field, message: 'cannot be sent with stream, which has the events to come' })),
    );
  const filter = await scoped(() => readEventFilter(db, session, asked));
  // Outside of the scope: a device that a limited caller sees no more does not end their stream for good.
  const afterNo = lastEventId === undefined ? undefined : await findAfterNo(db, session, lastEventId);
  const showNow = (row: EventRow, { zone }: Session) => showEvent(row, zone);
  const stream = await openEventStream(
    { db, clock, feed, show: showNow },
    { session: sessionNow, afterNo, filter, gone: signal },
  );
  return { body: [], stream };
}

/** The number after which a reader goes on. Throws a Problem (1003) where the account never had it. */
async function findAfterNo(db: Db, { accountNo }: Session, lastEventId: string): Promise<number> {
  const positionNo = positionOf(lastEventId);
  const isKnown = positionNo !== undefined && positionNo <= (await readLastEventNo(db));
  const place = isKnown ? { event_no: positionNo } : await findEventPlace(db, { accountNo }, lastEventId);
  if (place === undefined) throw missing('event');
  return place.event_no;
}

/** Throws a Problem: 1004 for a wrong filter, 1003 where Before is no event of this device or account. */
async function readEventPage(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  session: Session,
  scope: EventScope,
  asked: z.output<typeof accountQuery>,
): Promise<EventPage> {
  const { limit, offset, cursor } = readCursor(asked, 'event_id');
  const filter = {
    ...(await readHistoryFilter(db, session, asked)),
    ...(await readEventFilter(db, session, asked)),
  };
  const before = cursor === undefined ? undefined : await findEventPlace(db, scope, cursor);
  if (cursor !== undefined && before === undefined) throw missing('event');
  // Without a Timestamp: every event up to now, this microsecond included.
  const given = asked.Timestamp === undefined ? undefined : readUntil(asked.Timestamp, session.zone);
  const untilUs = Math.min(given ?? clock.nowUs() + 1, filter.untilUs ?? Number.POSITIVE_INFINITY);
  return { ...filter, untilUs, before, limit, offset };
}

/** Throws a Problem: 1004 for a wrong Type, 1003 for a Location, device or tag that the account does not have. */
async function readEventFilter(
  db: Db,
  session: Session,
  asked: Pick<z.output<typeof accountQuery>, 'Type' | 'Location' | 'Device' | 'Tag'>,
): Promise<EventFilter> {
  const { locationNos } = await readHistoryFilter(db, session, { Location: asked.Location });
  const { accountNo } = session;
  const deviceNos =
    asked.Device === undefined
      ? undefined
      : await readDeviceNos(db, accountNo, asked.Device, { deleted: true });
  const tagNos = asked.Tag === undefined ? undefined : await readTagNos(db, accountNo, asked.Tag);
  return { types: asked.Type, locationNos, deviceNos, tagNos };
}

/** An event as answers, streams and hooks show it. */
export function showEvent(row: EventRow, zone: Zone): z.input<typeof eventRecord> {
  return {
    event_id: row.event_id,
    device_id: row.device_id,
    ShortName: row.short_name,
    FullName: row.full_name,
    Timestamp: zone.format(row.at_us),
    Type: row.type,
    Status: row.status,
    Location: row.location,
    location_id: row.location_id,
    CheckResult: row.check_result,
    check_id: row.check_id,
    Message: row.message,
    Duration: row.duration_s,
    Late: row.late,
  };
}
