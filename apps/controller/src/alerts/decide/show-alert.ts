import { alertKinds } from '@vantage/alerts';
import { cleanLine, severities } from '@vantage/domain';
import { idField, timestampField } from '@vantage/rest-kit/field';
import type { Zone } from '@vantage/rest-kit/zone';
import type { Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import { alertStateNames, type ShownAlert } from './alert-list-store.ts';

/** An id for examples. */
export const sampleId = '27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802';

/** An alert as answers show it. */
export const alertRecord = z
  .strictObject({
    alert_id: idField,
    device_id: idField.nullable().describe('null: the alert is about a Location or an agent.'),
    ShortName: z
      .string()
      .nullable()
      .describe(
        "The device's name; its last one where it was deleted; null: the alert is about a Location or an agent.",
      ),
    FullName: z.string().nullable(),
    Kind: z.enum(alertKinds).describe('What it is about.').meta({ example: 'device.down' }),
    State: z.enum(alertStateNames).describe('Closed: what it is about has ended.').meta({ example: 'Open' }),
    Opened: timestampField.describe('When an event opened it.'),
    Closed: timestampField.nullable().describe('When it ended; null while it is open.'),
    Since: timestampField.describe('Begin of the outage.'),
    Severity: z.enum(severities).describe('Of the device.').meta({ example: 'critical' }),
    Reason: z
      .string()
      .nullable()
      .describe('Why it is as it is, for example which master suppresses it; null: as usual.')
      .meta({ example: 'its master gw is Down' }),
    Shadow: z
      .boolean()
      .describe('It has messages for contacts in shadow: they are recorded and were not sent.'),
    Location: z.string().nullable().describe('Location of the failure, or that the alert is about.'),
    location_id: idField.nullable(),
    CheckResult: z.string().nullable(),
    Contact: z
      .string()
      .nullable()
      .describe('Name of the contact that cannot be reached; null: the alert is about something else.')
      .meta({ example: 'noc' }),
    contact_id: idField.nullable(),
    Acknowledged: z
      .strictObject({
        By: z
          .string()
          .describe('Name of the API key, of the contact, or of whoever it was handed over to.')
          .meta({ example: 'deploy' }),
        Note: z.string().nullable().describe('Note of whoever acknowledged.').meta({ example: 'on it' }),
        At: timestampField,
      })
      .nullable()
      .meta({
        description: 'Who acknowledged it; null: it is not acknowledged.',
        example: { By: 'deploy', Note: 'on it', At: '2026-02-25T23:38:03+01:00' },
      }),
    SnoozedUntil: timestampField.nullable().describe('End of the snooze; null while there is none.'),
    Notifications: z
      .array(
        z.strictObject({
          contact_id: idField,
          Name: z.string().describe('Of the contact.').meta({ example: 'noc' }),
          Kind: z.string().describe('What it says.').meta({ example: 'device.down' }),
          At: timestampField.describe('When it was decided.'),
          Step: z
            .int()
            .nullable()
            .describe(
              'The step of the schedule that sent it, from 1; null: it came by none, as the end of an alert does.',
            )
            .meta({ example: 1 }),
          State: z
            .enum(['Pending', 'Delivered', 'Failed', 'Withdrawn', 'Shadow'])
            .describe('How far it is. Shadow: it is recorded only, because the contact is in shadow.'),
          Attempts: z.array(
            z.strictObject({ At: timestampField, Answer: z.string().describe('What the receiver said.') }),
          ),
        }),
      )
      .meta({
        description: 'Its messages, oldest first.',
        example: [
          {
            contact_id: sampleId,
            Name: 'noc',
            Kind: 'device.down',
            At: '2026-02-25T23:38:03+01:00',
            Step: 1,
            State: 'Delivered',
            Attempts: [{ At: '2026-02-25T23:38:04+01:00', Answer: 'HTTP 204 No Content' }],
          },
        ],
      }),
  })
  .meta({ id: 'Alert', description: 'A decision to notify people.' });

/** The state of each notification of these alerts, oldest first. */
export type NotificationsOf = (
  db: Kysely<Tables>,
  alertNos: readonly number[],
) => Promise<
  ReadonlyMap<
    number,
    readonly {
      readonly contact_id: string;
      readonly name: string;
      readonly kind: string;
      readonly step: number | null;
      readonly atUs: number;
      readonly state: z.input<typeof alertRecord>['Notifications'][number]['State'];
      readonly attempts: readonly { readonly atUs: number; readonly answer: string }[];
    }[]
  >
>;

/** The alert as an answer shows it. */
export function showAlert(
  row: ShownAlert,
  zone: Zone,
  notifications: Awaited<ReturnType<NotificationsOf>>,
  nowUs: number,
): z.input<typeof alertRecord> {
  const { acknowledged_us: at, acknowledged_by: by, snoozed_until_us: until } = row;
  return {
    alert_id: row.alert_id,
    device_id: row.device_id,
    ShortName: row.short_name,
    FullName: row.full_name === null ? null : cleanLine(row.full_name),
    Kind: z.enum(alertKinds).parse(row.kind),
    State: row.state,
    Opened: zone.format(row.opened_us),
    Closed: row.closed_us === null ? null : zone.format(row.closed_us),
    Since: zone.format(row.since_us),
    Severity: z.enum(severities).parse(row.severity),
    Reason: row.reason,
    Shadow: row.shadow,
    Location: row.location,
    location_id: row.location_id,
    CheckResult: row.check_result,
    Contact: row.contact === null ? null : cleanLine(row.contact),
    contact_id: row.contact_id,
    Acknowledged:
      at === null || by === null
        ? null
        : { By: cleanLine(by), Note: row.acknowledged_note, At: zone.format(at) },
    SnoozedUntil: until === null || until <= nowUs ? null : zone.format(until),
    Notifications: (notifications.get(row.alert_no) ?? []).map((notification) => ({
      contact_id: notification.contact_id,
      Name: cleanLine(notification.name),
      Kind: notification.kind,
      At: zone.format(notification.atUs),
      Step: notification.step,
      State: notification.state,
      Attempts: notification.attempts.map(({ atUs, answer }) => ({ At: zone.format(atUs), Answer: answer })),
    })),
  };
}
