import { severities } from '@vantage/domain';
import { isId } from '@vantage/kernel';
import { idField, timestampField } from '@vantage/rest-kit/field';
import { beforeQuery, cutCursor, readCursor } from '@vantage/rest-kit/paging';
import { conflict, missing } from '@vantage/rest-kit/problem';
import type { Route } from '@vantage/rest-kit/route';
import { route } from '@vantage/rest-kit/route-factories';
import type { Session } from '@vantage/rest-kit/session';
import type { Zone } from '@vantage/rest-kit/zone';
import type { Reader } from '@vantage/storage';
import { z } from 'zod';
import type { ChangeByCaller } from '../../resources/change.ts';
import { type DeliveryRow, findContactNo, listDeliveries } from './delivery-store.ts';
import { repeatNotification } from './enqueue.ts';
import { notificationStates } from './notification-state.ts';

const attempt = z.strictObject({
  At: timestampField,
  Answer: z.string().describe('What the receiver said.').meta({ example: 'HTTP 204 No Content' }),
});

const attemptsField = z.array(attempt).meta({
  description: 'The attempts to deliver it, oldest first, at most the latest 20.',
  example: [{ At: '2026-02-25T23:38:03+01:00', Answer: 'HTTP 204 No Content' }],
});

const deliveryRecord = z
  .strictObject({
    delivery_id: idField.describe('Receivers know the message by it (webhook-id, Message-ID).'),
    alert_id: idField.nullable().describe('null: the message is about no alert.'),
    device_id: idField.nullable(),
    ShortName: z.string().nullable(),
    Kind: z.string().describe('What it says.').meta({ example: 'device.down' }),
    Severity: z.enum(severities).meta({ example: 'critical' }),
    At: timestampField.describe('When it was decided.'),
    State: z.enum(notificationStates).meta({ example: 'Delivered' }),
    Ended: timestampField.nullable().describe('When it reached its last state; null: it is Pending.'),
    MergedInto: idField.nullable().describe('The delivery that carries it; null: its own message does.'),
    Attempts: attemptsField,
  })
  .meta({ id: 'Delivery', description: 'A message to a contact, and how it went.' });

const repeated = z
  .strictObject({ delivery_id: idField.describe('The new delivery.') })
  .meta({ id: 'DeliveryRepeated', description: 'A message that is sent again.' });

/** The parts that the routes of deliveries need. */
interface DeliveryRouteDeps {
  readonly clock: { nowUs(): number };
  readonly change: ChangeByCaller;
}

/** Routes that list the messages to a contact and send one again. */
export function deliveryRoutes(deps: DeliveryRouteDeps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/contacts/{contact_id}/deliveries',
      limitedCallers: 'refused',
      level: 'UR',
      tag: 'Contacts',
      summary: 'Messages to a contact, newest first, with each attempt and its answer.',
      subject: {
        what: 'contact' as const,
        find: (
          { accountNo }: Session,
          { contact_id: id = '' }: Readonly<Record<string, string>>,
          { kysely }: Reader,
        ) => (isId(id) ? findContactNo(kysely, accountNo, id) : Promise.resolve(undefined)),
      },
      query: z.object(beforeQuery('delivery_id')),
      response: z.array(deliveryRecord),
      names: { root: 'deliveries', row: 'delivery', id: 'delivery_id' },
      handler: async ({ db, session: { zone }, subject: contactNo, query }) => {
        const { limit, offset, cursor } = readCursor(query, 'delivery_id');
        const before = cursor === undefined ? undefined : await findDelivery(db, contactNo, cursor);
        if (cursor !== undefined && before === undefined) throw missing('delivery');
        const page = { contactNo, beforeNo: before?.notification_no, limit, offset };
        const found = await listDeliveries(db.kysely, page);
        const { rows, next } = cutCursor(found, limit, 'before', (row) => row.notification_id);
        return { body: rows.map((row) => show(row, zone)), next };
      },
    }),
    repeatRoute(deps),
  ];
}

function repeatRoute({ clock, change }: DeliveryRouteDeps): Route {
  return route({
    method: 'POST',
    path: '/contacts/{contact_id}/deliveries/{delivery_id}/repeat',
    level: 'UW',
    tag: 'Contacts',
    summary: 'Sends a message again, as a new delivery.',
    description:
      'Only of a delivery that was Delivered or Failed. The new one has an id of its own, so receivers take it as a new message.',
    subject: {
      what: 'delivery' as const,
      find: async (
        { accountNo }: Session,
        { contact_id: contactId = '', delivery_id: id = '' }: Readonly<Record<string, string>>,
        db: Reader,
      ) => {
        const contactNo = isId(contactId) ? await findContactNo(db.kysely, accountNo, contactId) : undefined;
        const found = contactNo === undefined ? undefined : await findDelivery(db, contactNo, id);
        return contactNo === undefined || found === undefined ? undefined : { ...found, contactNo };
      },
    },
    response: repeated,
    names: { root: 'delivery', id: 'delivery_id' },
    handler: async ({ db, session, subject }) => {
      if (subject.state !== 'Delivered' && subject.state !== 'Failed')
        throw conflict(
          'still_running',
          `The delivery is ${subject.state}. Only one that was Delivered or Failed can be repeated.`,
        );
      const id = await change(db, session, async ({ trx, record }) => {
        const created = await repeatNotification(trx, subject.notification_no, clock.nowUs());
        if (created === undefined) throw missing('delivery');
        const fields = [{ field: 'Repeats', old: null, new: subject.notification_id }];
        record({ action: 'create', kind: 'delivery', accountNo: session.accountNo, id: created, fields });
        return created;
      });
      return { body: { delivery_id: id } };
    },
  });
}

async function findDelivery(
  { kysely }: Reader,
  contactNo: number,
  deliveryId: string,
): Promise<DeliveryRow | undefined> {
  if (!isId(deliveryId)) return undefined;
  return (await listDeliveries(kysely, { contactNo, deliveryId, limit: 1, offset: 0 }))[0];
}

function show(row: DeliveryRow, zone: Zone): z.input<typeof deliveryRecord> {
  return {
    delivery_id: row.notification_id,
    alert_id: row.alert_id,
    device_id: row.device_id,
    ShortName: row.short_name,
    Kind: row.kind,
    Severity: z.enum(severities).parse(row.severity),
    At: zone.format(row.at_us),
    State: row.state,
    Ended: row.ended_us === null ? null : zone.format(row.ended_us),
    MergedInto: row.leader_id,
    Attempts: row.attempts.map(({ atUs, answer }) => ({ At: zone.format(atUs), Answer: answer })),
  };
}
