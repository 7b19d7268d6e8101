import type { Clock } from '@vantage/kernel';
import { readDeviceNos, readTagNos } from '@vantage/rest-kit/named';
import { cutCursor, readCursor, usualRows } from '@vantage/rest-kit/paging';
import { invalid, missing } from '@vantage/rest-kit/problem';
import type { Call, Route } from '@vantage/rest-kit/route';
import { noSubject, route } from '@vantage/rest-kit/route-factories';
import type { Session } from '@vantage/rest-kit/session';
import { readUntil } from '@vantage/rest-kit/time-span';
import type { Reader } from '@vantage/storage';
import { z } from 'zod';
import type { DeviceSubject } from './check-routes.ts';
import type { EventFeed } from './event-feed.ts';
import { type accountQuery, eventRecord, pastOnly, query, showEvent, streamQuery } from './event-fields.ts';
import {
  type EventFilter,
  type EventPage,
  type EventRow,
  type EventScope,
  findEventPosition,
  listEvents,
  readLastEventNo,
} from './event-store.ts';
import { openEventStream, positionOf } from './event-stream.ts';
import { readHistoryFilter } from './list-filters.ts';

const tag = 'Events';

const noStream: readonly (string | undefined)[] = [undefined, '0', 'false', 'N'];

type FollowCall = Pick<
  Call<unknown, unknown, unknown>,
  'db' | 'session' | 'sessionNow' | 'scoped' | 'lastEventId' | 'signal'
>;

/** Events of a device and of the whole account, newest first; the account's also as a stream. */
export function eventRoutes({
  clock,
  device,
  feed,
}: {
  readonly clock: Clock;
  readonly device: DeviceSubject;
  readonly feed: EventFeed;
}): Route[] {
  const read = async (
    { db, session }: Pick<FollowCall, 'db' | 'session'>,
    scope: EventScope,
    asked: z.output<typeof accountQuery>,
  ) => {
    const page = await readEventPage(db, clock, { session, scope, asked });
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
      handler: (call) => read(call, { deviceNo: call.subject.device_no }, call.query),
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
              call,
              { accountNo: call.session.accountNo },
              { ...call.query, Limit: call.query.Limit ?? usualRows },
            )
          : follow({ clock, feed }, call, call.query),
    }),
  ];
}

/** A stream of the account's events. Throws a Problem (1003) where Last-Event-ID is no event of the account. */
async function follow(
  { clock, feed }: { readonly clock: Clock; readonly feed: EventFeed },
  { db, session, sessionNow, scoped, lastEventId, signal }: FollowCall,
  asked: z.output<typeof streamQuery>,
) {
  const past = pastOnly.filter((name) => asked[name] !== undefined);
  if (past.length > 0)
    throw invalid(
      past.map((field) => ({ field, message: 'cannot be sent with stream, which has the events to come' })),
    );
  const filter = await scoped((limited) => readEventFilter(limited, session, asked));
  // Outside of the scope: a device that a limited caller sees no more does not end their stream for good.
  const afterNo = lastEventId === undefined ? undefined : await findAfterNo(db, session, lastEventId);
  const showNow = (row: EventRow, { zone }: Session) => showEvent(row, zone);
  const stream = await openEventStream(
    { clock, feed, show: showNow },
    { session: sessionNow, scoped, afterNo, filter, gone: signal },
  );
  return { body: [], stream };
}

/** The number after which a reader continues. Throws a Problem (1003) if the account never had it. */
async function findAfterNo(db: Reader, { accountNo }: Session, lastEventId: string): Promise<number> {
  const positionNo = positionOf(lastEventId);
  const isKnown = positionNo !== undefined && positionNo <= (await readLastEventNo(db));
  const position = isKnown
    ? { event_no: positionNo }
    : await findEventPosition(db, { accountNo }, lastEventId);
  if (position === undefined) throw missing('event');
  return position.event_no;
}

/** Throws a Problem: 1004 for a wrong filter, 1003 where Before is no event of this device or account. */
async function readEventPage(
  db: Reader,
  clock: Clock,
  {
    session,
    scope,
    asked,
  }: {
    readonly session: Session;
    readonly scope: EventScope;
    readonly asked: z.output<typeof accountQuery>;
  },
): Promise<EventPage> {
  const { limit, offset, cursor } = readCursor(asked, 'event_id');
  const filter = {
    ...(await readHistoryFilter(db, session, asked)),
    ...(await readEventFilter(db, session, asked)),
  };
  const before = cursor === undefined ? undefined : await findEventPosition(db, scope, cursor);
  if (cursor !== undefined && before === undefined) throw missing('event');
  // Without a Timestamp: every event up to now, this microsecond included.
  const sentUs = asked.Timestamp === undefined ? undefined : readUntil(asked.Timestamp, session.zone);
  const untilUs = Math.min(sentUs ?? clock.nowUs() + 1, filter.untilUs ?? Number.POSITIVE_INFINITY);
  return { ...filter, untilUs, before, limit, offset };
}

/** Throws a Problem: 1004 for a wrong Type, 1003 for a Location, device or tag that the account does not have. */
async function readEventFilter(
  db: Reader,
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
