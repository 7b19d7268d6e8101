import { alertKinds, severities } from '@vantage/alerts';
import { cleanLine } from '@vantage/domain';
import { boundedText, type Clock, isId } from '@vantage/kernel';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Db, Tables } from '../db/index.ts';
import { durationField, readDuration } from '../http/duration.ts';
import { idField, lineField, timestampField } from '../http/field.ts';
import { beforeQuery, cutCursor, readCursor } from '../http/paging.ts';
import { conflict, missing } from '../http/problem.ts';
import { noSubject, type Route, route } from '../http/route.ts';
import type { Session } from '../http/session.ts';
import type { Zone } from '../http/zone.ts';
import { type AlertActionOutcome, acknowledge, nameOfKey, snooze } from './acknowledge.ts';
import { alertStateNames, findAlertNo, listAlerts, type ShownAlert } from './list-store.ts';

const id = '27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802';

const alertRecord = z
  .strictObject({
    alert_id: idField,
    device_id: idField.nullable().describe('null: the alert is about a Location or an agent.'),
    ShortName: z.string().nullable().describe("The device's name; null where there is no device."),
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
      .describe('It notifies nobody, because it only shows what would happen. Always false.'),
    Location: z.string().nullable().describe('Location of the failure, or that the alert is about.'),
    CheckResult: z.string().nullable(),
    Acknowledged: z
      .strictObject({
        By: z.string().describe('Name of the API key, or of the contact.').meta({ example: 'deploy' }),
        Note: z.string().nullable().describe('Note of whoever acknowledged.').meta({ example: 'on it' }),
        At: timestampField,
      })
      .nullable()
      .meta({
        description: 'Who acknowledged it; null: nobody.',
        example: { By: 'deploy', Note: 'on it', At: '2026-02-25T23:38:03+01:00' },
      }),
    SnoozedUntil: timestampField.nullable().describe('End of the snooze; null while there is none.'),
    Notifications: z
      .array(
        z.strictObject({
          contact_id: idField,
          State: z.enum(['Pending', 'Delivered', 'Failed', 'Withdrawn']).describe('How far it is.'),
          Attempts: z.int().describe('Attempts to deliver it.').meta({ example: 1 }),
        }),
      )
      .meta({
        description: 'Its messages, oldest first.',
        example: [{ contact_id: id, State: 'Delivered', Attempts: 1 }],
      }),
  })
  .meta({ id: 'Alert', description: 'A decision to notify people.' });

const alertQuery = z.object({
  State: z.enum(alertStateNames).optional().describe('Alerts of this state only.').meta({ example: 'Open' }),
  Kind: z.enum(alertKinds).optional().describe('Alerts of this kind only.').meta({ example: 'device.down' }),
  Device: boundedText(100)
    .optional()
    .describe('A device_id: the alerts of this device only, also of a deleted one.')
    .meta({ example: id }),
  ...beforeQuery('alert_id'),
});

const acknowledgement = z
  .strictObject({
    Note: lineField(500)
      .nullable()
      .default(null)
      .describe('A note for the others, one line.')
      .meta({ example: 'on it' }),
  })
  .meta({ id: 'AlertAcknowledge', description: 'An acknowledgement.' });

const snoozing = z
  .strictObject({
    Duration: durationField.describe(
      'HH:MM from now, elapsed time. What would be sent before is sent at the end.',
    ),
  })
  .meta({ id: 'AlertSnooze', description: 'A snooze.' });

/** Changes something for a caller of the API in one transaction, with an entry of the audit for each recorded change. */
type Change = <T>(
  session: Session,
  work: (transaction: {
    readonly trx: Kysely<Tables>;
    readonly record: (change: {
      readonly action: 'update';
      readonly kind: 'alert';
      readonly accountNo: number;
      readonly id: string;
      readonly fields: readonly { readonly field: string; readonly old: unknown; readonly new: unknown }[];
    }) => void;
  }) => Promise<T>,
) => Promise<T>;

/** The state of each notification of these alerts, oldest first. */
type NotificationsOf = (
  db: Kysely<Tables>,
  alertNos: readonly number[],
) => Promise<ReadonlyMap<number, z.input<typeof alertRecord>['Notifications']>>;

/** The parts that the routes of alerts need. */
export interface AlertRouteDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly change: Change;
  readonly notificationsOf: NotificationsOf;
}

const names = { root: 'alert', id: 'alert_id' } as const;

/** Listing, reading, acknowledging and snoozing alerts. */
export function alertRoutes(deps: AlertRouteDeps): Route[] {
  return [listRoute(deps), readRoute(deps), acknowledgeRoute(deps), snoozeRoute(deps)];
}

function listRoute({ db, clock, notificationsOf }: AlertRouteDeps): Route {
  return route({
    method: 'GET',
    path: '/alerts',
    level: 'UR',
    tag: 'Alerts',
    summary: 'Lists alerts, those that opened last first.',
    description:
      'An alert is a decision to notify people of an outage. It stays in the list when it is closed. Without a notification schedule it exists too, with no messages.',
    subject: noSubject,
    query: alertQuery,
    response: z.array(alertRecord),
    names: { root: 'alerts', row: 'alert', id: 'alert_id' },
    handler: async ({ session: { accountNo, zone }, query }) => {
      const { limit, offset, cursor } = readCursor(query, 'alert_id');
      const beforeNo = cursor === undefined ? undefined : await findAlertNo(db, accountNo, cursor);
      if (cursor !== undefined && beforeNo === undefined) throw missing('alert');
      const { State: state, Kind: kind, Device: deviceId } = query;
      const page = { state, kind, deviceId, beforeNo, limit, offset, nowUs: clock.nowUs() };
      const found = await listAlerts(db.kysely, accountNo, page);
      const { rows, next } = cutCursor(found, limit, 'before', (row) => row.alert_id);
      const notifications = await notificationsOf(
        db.kysely,
        rows.map((row) => row.alert_no),
      );
      return { body: rows.map((row) => show(row, zone, notifications, clock.nowUs())), next };
    },
  });
}

/** What the routes of one alert share. */
function oneAlert({ db, clock, notificationsOf }: AlertRouteDeps) {
  const read = async ({ accountNo }: Session, alertId: string) => {
    if (!isId(alertId)) return undefined;
    const page = { alertId, limit: 1, offset: 0, nowUs: clock.nowUs() };
    return (await listAlerts(db.kysely, accountNo, page))[0];
  };
  return {
    tag: 'Alerts',
    names,
    response: alertRecord,
    subject: {
      what: 'alert',
      find: (session: Session, { alert_id: alertId = '' }: Readonly<Record<string, string>>) =>
        read(session, alertId),
    },
    answer: async (session: Session, alertId: string) => {
      const row = await read(session, alertId);
      if (row === undefined) throw missing('alert');
      const notifications = await notificationsOf(db.kysely, [row.alert_no]);
      return { body: show(row, session.zone, notifications, clock.nowUs()) };
    },
  } as const;
}

function readRoute(deps: AlertRouteDeps): Route {
  const { answer, ...shared } = oneAlert(deps);
  return route({
    ...shared,
    method: 'GET',
    path: '/alerts/{alert_id}',
    level: 'UR',
    summary: 'An alert with its messages.',
    handler: ({ session, subject }) => answer(session, subject.alert_id),
  });
}

function acknowledgeRoute(deps: AlertRouteDeps): Route {
  const { answer, ...shared } = oneAlert(deps);
  const { clock, change } = deps;
  return route({
    ...shared,
    method: 'PUT',
    path: '/alerts/{alert_id}/acknowledge',
    level: 'UW',
    summary: 'Acknowledges an alert: no repeats and no further steps.',
    description:
      'Whoever was notified of the outage is still notified of its end. A new outage is a new alert. A closed alert is 1005.',
    body: acknowledgement,
    handler: async ({ session, subject: { alert_id: alertId }, body: { Note: note } }) => {
      const { accountNo, keyNo } = session;
      const nowUs = clock.nowUs();
      const outcome = await change(session, async ({ trx, record }) => {
        const by = await nameOfKey(trx, keyNo);
        const done = await acknowledge(trx, { accountNo, alertId, by, note, nowUs });
        const fields = [{ field: 'Acknowledged', old: null, new: { By: by, Note: note } }];
        if (done.kind === 'done') record({ action: 'update', kind: 'alert', accountNo, id: alertId, fields });
        return done;
      });
      refuse(outcome);
      return answer(session, alertId);
    },
  });
}

function snoozeRoute(deps: AlertRouteDeps): Route {
  const { answer, ...shared } = oneAlert(deps);
  const { clock, change } = deps;
  return route({
    ...shared,
    method: 'PUT',
    path: '/alerts/{alert_id}/snooze',
    level: 'UW',
    summary: 'Snoozes an alert: what it would send meanwhile is sent at the end.',
    description: 'A second snooze replaces the first one. A closed alert is 1005.',
    body: snoozing,
    handler: async ({ session, subject: { alert_id: alertId }, body: { Duration } }) => {
      const { accountNo, zone } = session;
      const nowUs = clock.nowUs();
      const untilUs = nowUs + readDuration(Duration);
      const outcome = await change(session, async ({ trx, record }) => {
        const done = await snooze(trx, { accountNo, alertId, untilUs, nowUs });
        const fields = [{ field: 'SnoozedUntil', old: null, new: zone.format(untilUs) }];
        if (done.kind === 'done') record({ action: 'update', kind: 'alert', accountNo, id: alertId, fields });
        return done;
      });
      refuse(outcome);
      return answer(session, alertId);
    },
  });
}

/** Throws a Problem where the action was not done. */
function refuse(outcome: AlertActionOutcome): void {
  if (outcome.kind === 'missing') throw missing('alert');
  if (outcome.kind === 'closed')
    throw conflict('The alert is closed. Only an alert that is open can be acknowledged or snoozed.');
}

function show(
  row: ShownAlert,
  zone: Zone,
  notifications: Awaited<ReturnType<NotificationsOf>>,
  nowUs: number,
): z.input<typeof alertRecord> {
  const { acknowledged_us: at, acknowledged_by: by, snoozed_until_us: until } = row;
  return {
    ...{ alert_id: row.alert_id, device_id: row.device_id },
    ShortName: row.short_name,
    Kind: z.enum(alertKinds).parse(row.kind),
    State: row.state,
    Opened: zone.format(row.opened_us),
    Closed: row.closed_us === null ? null : zone.format(row.closed_us),
    Since: zone.format(row.since_us),
    Severity: z.enum(severities).parse(row.severity),
    ...{ Reason: row.reason, Shadow: false, Location: row.location, CheckResult: row.check_result },
    Acknowledged:
      at === null || by === null
        ? null
        : { By: cleanLine(by), Note: row.acknowledged_note, At: zone.format(at) },
    SnoozedUntil: until === null || until <= nowUs ? null : zone.format(until),
    Notifications: [...(notifications.get(row.alert_no) ?? [])],
  };
}
