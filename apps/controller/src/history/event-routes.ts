import type { Clock } from '@vantage/kernel';
import { z } from 'zod';
import type { Db } from '../db/index.ts';
import { idField, timestampField } from '../http/field.ts';
import { cutPage, pagingQuery, timestampQuery } from '../http/paging.ts';
import { noSubject, type Route, route } from '../http/route.ts';
import type { Session } from '../http/session.ts';
import type { Zone } from '../http/zone.ts';
import type { DeviceSubject } from './check-routes.ts';
import { type EventRow, type EventScope, listEvents } from './event-store.ts';

const tag = 'Events';

const eventTypes = [
  'Created',
  'Changed',
  'Error',
  'Recovered',
  'Partial',
  'Down',
  'Up',
  'Unknown',
  'MaintStart',
  'MaintEnd',
  'Alert',
  'AlertFailed',
  'AlertSuppressed',
] as const;

const eventRecord = z
  .strictObject({
    event_id: idField,
    device_id: idField.nullable().describe('null: the event is about a Location or an agent.'),
    Timestamp: timestampField.describe('End of the check that caused it.'),
    Type: z.string().describe(`One of ${eventTypes.join(', ')}.`),
    Status: z.string().describe("The device's status after it."),
    Location: z.string().nullable(),
    CheckResult: z.string().nullable(),
    check_id: idField.nullable(),
    Message: z.string(),
    Duration: z.int().nullable().describe('Seconds of the state that just ended.'),
    Late: z.boolean().describe('Its check arrived late, after a cut.'),
  })
  .meta({ id: 'Event' });

const query = z.object({
  Timestamp: timestampQuery.describe('Events before this moment; default: now.'),
  ...pagingQuery,
});

/** Events of a device and of the whole account, newest first. */
export function eventRoutes({
  db,
  clock,
  device,
}: {
  readonly db: Db;
  readonly clock: Clock;
  readonly device: DeviceSubject;
}): Route[] {
  const read = async (session: Session, scope: EventScope, asked: z.output<typeof query>) => {
    // Without a Timestamp: everything told up to now, this microsecond included.
    const given = asked.Timestamp === undefined ? undefined : session.zone.parse(asked.Timestamp);
    const beforeUs = given ?? clock.nowUs() + 1;
    const page = { beforeUs, limit: asked.Limit, offset: asked.Offset };
    const { rows, next } = cutPage(await listEvents(db, scope, page), asked);
    return { body: rows.map((row) => show(row, session.zone)), next };
  };
  const shared = {
    method: 'GET',
    level: 'UR',
    tag,
    query,
    response: z.array(eventRecord),
    names: { root: 'events', row: 'event', id: 'event_id' },
  } as const;
  return [
    route({
      ...shared,
      path: '/devices/{device_id}/events',
      summary: "A device's events, newest first.",
      subject: device,
      handler: ({ session, subject, query: asked }) => read(session, { deviceNo: subject.device_no }, asked),
    }),
    route({
      ...shared,
      path: '/events',
      summary: "The account's events, newest first.",
      subject: noSubject,
      handler: ({ session, query: asked }) => read(session, { accountNo: session.accountNo }, asked),
    }),
  ];
}

function show(row: EventRow, zone: Zone): z.input<typeof eventRecord> {
  return {
    event_id: row.event_id,
    device_id: row.device_id,
    Timestamp: zone.format(row.at_us),
    Type: row.type,
    Status: row.status,
    Location: row.location,
    CheckResult: row.check_result,
    check_id: row.check_id,
    Message: row.message,
    Duration: row.duration_s,
    Late: row.late,
  };
}
