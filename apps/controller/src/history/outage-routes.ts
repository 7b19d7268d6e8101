import { checkId, parseCheckId } from '@vantage/domain';
import type { Clock } from '@vantage/kernel';
import { z } from 'zod';
import type { Db } from '../db/index.ts';
import { idField, timestampField } from '../http/field.ts';
import { beforeQuery, cutCursor, readCursor, timestampQuery } from '../http/paging.ts';
import { missing } from '../http/problem.ts';
import { noSubject, type Route, route } from '../http/route.ts';
import type { Session } from '../http/session.ts';
import { readSpan } from '../http/time-span.ts';
import type { Zone } from '../http/zone.ts';
import type { DeviceSubject } from './check-routes.ts';
import type { EventScope } from './event-store.ts';
import { hasDevice, listOutages, type OutagePage, type OutageRow } from './outage-store.ts';

const outageRecord = z
  .strictObject({
    outage_id: idField,
    device_id: idField,
    ShortName: z.string(),
    Start: timestampField.describe(
      'The first error of the failure, or the end of the maintenance that it fell into.',
    ),
    End: timestampField
      .nullable()
      .describe('The check that found the device Up again; null while the outage is open.'),
    Seconds: z.int().min(0).describe('From Start to End, or to now.').meta({ example: 312 }),
    Location: z.string().nullable().describe('Location of the first error.'),
    CheckResult: z
      .string()
      .nullable()
      .describe('Result of the first error; null where its event is not known.')
      .meta({ example: 'connection refused by 192.0.2.10:443' }),
    check_id: idField
      .nullable()
      .describe('The check of the first error; checks are kept for a shorter time than outages.'),
    Acknowledged: z.boolean().describe('Somebody acknowledged the alert of this outage.'),
  })
  .meta({ id: 'Outage' });

const query = z.object({
  Timestamp1: timestampQuery('Outages that ended after this moment or are open.'),
  Timestamp2: timestampQuery(
    'Outages that started up to this moment. A timestamp in whole seconds includes that whole second.',
  ),
  ...beforeQuery('outage_id'),
});

/** Outages of a device and of the whole account, those with the newest first error first. */
export function outageRoutes({
  db,
  clock,
  device,
}: {
  readonly db: Db;
  readonly clock: Clock;
  readonly device: DeviceSubject;
}): Route[] {
  const read = async (session: Session, scope: EventScope, asked: z.output<typeof query>) => {
    const nowUs = clock.nowUs();
    const page = await readPage(db, session, scope, { asked, nowUs });
    const { rows, next } = cutCursor(await listOutages(db, scope, page), page.limit, 'before', idOf);
    return { body: rows.map((row) => show(row, session.zone, nowUs)), next };
  };
  const shared = {
    method: 'GET',
    level: 'UR',
    tag: 'Outages',
    query,
    response: z.array(outageRecord),
    names: { root: 'outages', row: 'outage', id: 'outage_id' },
  } as const;
  return [
    route({
      ...shared,
      path: '/devices/{device_id}/outages',
      summary: "A device's outages, newest first.",
      subject: device,
      handler: ({ session, subject, query: asked }) => read(session, { deviceNo: subject.device_no }, asked),
    }),
    route({
      ...shared,
      path: '/outages',
      summary: "The outages of all the account's devices, newest first.",
      subject: noSubject,
      handler: ({ session, query: asked }) => read(session, { accountNo: session.accountNo }, asked),
    }),
  ];
}

/** Throws a Problem: 1004 for a reversed span, 1003 where Before is no outage of this device or account. */
async function readPage(
  db: Db,
  { accountNo, zone }: Session,
  scope: EventScope,
  { asked, nowUs }: { readonly asked: z.output<typeof query>; readonly nowUs: number },
): Promise<OutagePage> {
  const { limit, offset, cursor } = readCursor(asked, 'outage_id');
  const span = readSpan(asked, zone);
  const place = cursor === undefined ? undefined : parseCheckId(cursor);
  const isOwn =
    place !== undefined &&
    ('deviceNo' in scope
      ? place.deviceNo === scope.deviceNo
      : await hasDevice(db, accountNo, place.deviceNo));
  if (cursor !== undefined && !isOwn) throw missing('outage');
  const before = place === undefined ? undefined : { fromUs: place.startUs, deviceNo: place.deviceNo };
  return { ...span, before, limit, offset, nowUs };
}

/** An outage is known by its device and its first error, in the form of a check's id without an agent. */
function idOf({ device_no, from_us }: OutageRow): string {
  return checkId({ deviceNo: device_no, startUs: from_us, agentNo: 0 });
}

function show(row: OutageRow, zone: Zone, nowUs: number): z.input<typeof outageRecord> {
  return {
    outage_id: idOf(row),
    device_id: row.device_id,
    ShortName: row.short_name,
    Start: zone.format(row.start_us),
    End: row.end_us === null ? null : zone.format(row.end_us),
    Seconds: wholeSeconds(row.end_us ?? nowUs) - wholeSeconds(row.start_us),
    Location: row.location,
    CheckResult: row.check_result,
    check_id: row.check_id,
    Acknowledged: row.acknowledged,
  };
}

function wholeSeconds(us: number): number {
  return Math.floor(us / 1_000_000);
}
