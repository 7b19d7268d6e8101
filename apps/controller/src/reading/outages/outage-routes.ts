import { methods, parseCheckId } from '@vantage/domain';
import { boundedText, type Clock } from '@vantage/kernel';
import { flagQuery } from '@vantage/rest-kit/field';
import { someOf } from '@vantage/rest-kit/members';
import { deviceQuery, locationQuery, readDeviceNos, readTagNos, tagQuery } from '@vantage/rest-kit/named';
import { beforeQuery, cutCursor, readCursor, timestampQuery } from '@vantage/rest-kit/paging';
import { invalid, missing } from '@vantage/rest-kit/problem';
import type { Call, Route } from '@vantage/rest-kit/route';
import { noSubject, route } from '@vantage/rest-kit/route-factories';
import type { Session } from '@vantage/rest-kit/session';
import type { Reader } from '@vantage/storage';
import { z } from 'zod';
import type { DeviceSubject } from '../history/check-routes.ts';
import type { EventScope } from '../history/event-store.ts';
import { readHistoryFilter } from '../history/list-filters.ts';
import type { OutagePage } from './outage-page.ts';
import { outageId, outageRecord, showOutage } from './outage-record.ts';
import { hasDevice, listOutages, maxJudged } from './outage-store.ts';

const query = z.object({
  Timestamp1: timestampQuery('Outages that ended after this moment or are open.'),
  Timestamp2: timestampQuery(
    'Outages that started up to this moment. A timestamp in whole seconds includes that whole second.',
  ),
  Location: locationQuery('outages with an error from there only'),
  Open: flagQuery('true: outages that have not ended only; false: those that have.'),
  MinSeconds: boundedText(10)
    .regex(/^\d+$/, { error: 'must be seconds in digits, for example MinSeconds=300' })
    .transform(Number)
    .optional()
    .meta({
      description: 'Only outages of at least this many seconds.',
      override: { type: 'integer', minimum: 0, example: 300 },
    }),
  ...beforeQuery('outage_id'),
});

const accountQuery = z.object({
  ...query.shape,
  Device: deviceQuery('outages of these devices only'),
  Tag: tagQuery('outages of devices that have it now only'),
  Method: someOf(methods, 'Outages of devices of this Method only.'),
});
type Asked = z.output<typeof query> &
  Partial<Pick<z.output<typeof accountQuery>, 'Device' | 'Tag' | 'Method'>>;

/** The lists of outages of a device and of the whole account, those with the newest first error first. */
export function outageRoutes({
  clock,
  device,
}: {
  readonly clock: Clock;
  readonly device: DeviceSubject;
}): Route[] {
  const read = async (
    { db, session }: Pick<Call<unknown, unknown, unknown>, 'db' | 'session'>,
    scope: EventScope,
    asked: Asked,
  ) => {
    const nowUs = clock.nowUs();
    const page = await readPage(db, session, scope, { asked, nowUs });
    const found = await listOutages(db, scope, page);
    if (!found.isComplete)
      throw invalid([
        {
          field: 'Timestamp1',
          message: `must be nearer to Timestamp2: ${maxJudged.toLocaleString('en-US')} outages were searched, and the page is not full; request a shorter period, or one device`,
        },
      ]);
    const { rows, next } = cutCursor(found.rows, page.limit, 'before', outageId);
    return { body: rows.map((row) => showOutage(row, session.zone, nowUs)), next };
  };
  const shared = {
    method: 'GET',
    readsHistory: true,
    level: 'UR',
    tag: 'Outages',
    response: z.array(outageRecord),
    names: { root: 'outages', row: 'outage', id: 'outage_id' },
  } as const;
  return [
    route({
      ...shared,
      path: '/devices/{device_id}/outages',
      query,
      summary: "A device's outages, newest first.",
      subject: device,
      handler: (call) => read(call, { deviceNo: call.subject.device_no }, call.query),
    }),
    route({
      ...shared,
      path: '/outages',
      query: accountQuery,
      summary: "The outages of all the account's devices, newest first.",
      subject: noSubject,
      handler: (call) => read(call, { accountNo: call.session.accountNo }, call.query),
    }),
  ];
}

/**
 * Throws a Problem: 1004 for a reversed span, 1003 where Before is no outage of this device or account, and for a tag
 * or Location that the account does not have.
 */
async function readPage(
  db: Reader,
  { accountNo, zone }: Session,
  scope: EventScope,
  { asked, nowUs }: { readonly asked: Asked; readonly nowUs: number },
): Promise<OutagePage> {
  const { limit, offset, cursor } = readCursor(asked, 'outage_id');
  const { fromUs, untilUs, locationNos } = await readHistoryFilter(db, { accountNo, zone }, asked);
  const tagNos = asked.Tag === undefined ? undefined : await readTagNos(db, accountNo, asked.Tag);
  const deviceNos = asked.Device === undefined ? undefined : await readDeviceNos(db, accountNo, asked.Device);
  const position = cursor === undefined ? undefined : parseCheckId(cursor);
  const isOwn =
    position !== undefined &&
    ('deviceNo' in scope
      ? position.deviceNo === scope.deviceNo
      : await hasDevice(db, accountNo, position.deviceNo));
  if (cursor !== undefined && !isOwn) throw missing('outage');
  const before =
    position === undefined ? undefined : { fromUs: position.startUs, deviceNo: position.deviceNo };
  const filter = { methods: asked.Method, isOpen: asked.Open, minSeconds: asked.MinSeconds };
  return { fromUs, untilUs, locationNos, deviceNos, tagNos, ...filter, before, limit, offset, nowUs };
}
