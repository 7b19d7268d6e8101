import { alertKinds } from '@vantage/alerts';
import { severities } from '@vantage/domain';
import { type Clock, isId } from '@vantage/kernel';
import { flagQuery, lineField } from '@vantage/rest-kit/field';
import { someOf } from '@vantage/rest-kit/members';
import {
  deviceQuery,
  locationQuery,
  membersOf,
  readLocationNos,
  readTagNos,
  tagQuery,
} from '@vantage/rest-kit/named';
import { beforeQuery, cutCursor, readCursor } from '@vantage/rest-kit/paging';
import { conflict, missing } from '@vantage/rest-kit/problem';
import type { Route } from '@vantage/rest-kit/route';
import { noSubject, route } from '@vantage/rest-kit/route-factories';
import type { Session } from '@vantage/rest-kit/session';
import { durationField, readDuration, readSpan, spanQuery } from '@vantage/rest-kit/time-span';
import type { Reader } from '@vantage/storage';
import { z } from 'zod';
import type { ChangeByCaller } from '../../resources/change.ts';
import { type AlertActionOutcome, acknowledge, nameOfKey, reopen, snooze } from './acknowledge.ts';
import { type AlertPage, alertStateNames, findAlertNo, listAlerts } from './alert-list-store.ts';
import { alertRecord, type NotificationsOf, showAlert } from './show-alert.ts';

const alertQuery = z.object({
  State: someOf(alertStateNames, 'Alerts of these states only.'),
  Severity: someOf(severities, 'Alerts of these severities only.'),
  Tag: tagQuery('alerts about devices that have one of them now only'),
  Location: locationQuery('alerts with a failure from there, or about it, only'),
  Suppressed: flagQuery(
    'true: open alerts only whose messages are held back because the cause is elsewhere; false: the others.',
  ),
  Kind: someOf(alertKinds, 'Alerts of this kind only.'),
  Device: deviceQuery('alerts of these devices only, also of deleted ones'),
  ...spanQuery,
  Shadow: flagQuery('true: alerts with messages for contacts in shadow only; false: the others only.'),
  ...beforeQuery('alert_id'),
});

/** The fields of an acknowledgement. */
export const acknowledgementFields = {
  Note: lineField(500)
    .nullable()
    .default(null)
    .describe('A note for the others, one line.')
    .meta({ example: 'on it' }),
};

/** The body of the acknowledgement of one alert. */
const acknowledgement = z
  .strictObject({
    ...acknowledgementFields,
    By: lineField(200)
      .nullable()
      .default(null)
      .describe(
        'Who takes care of it, where the caller hands it over; null: the caller. It sends no message.',
      )
      .meta({ example: 'Jana Wolf' }),
  })
  .meta({ id: 'AlertAcknowledge', description: 'An acknowledgement.' });

/** The body of a snooze. */
export const snoozing = z
  .strictObject({
    Duration: durationField.describe(
      'HH:MM from now, elapsed time. What would be sent before is sent at the end.',
    ),
  })
  .meta({ id: 'AlertSnooze', description: 'A snooze.' });

/** The parts that the routes of alerts need. */
export interface AlertRouteDeps {
  readonly clock: Clock;
  readonly change: ChangeByCaller;
  readonly notificationsOf: NotificationsOf;
}

const names = { root: 'alert', id: 'alert_id' } as const;

/** Listing, reading, acknowledging, snoozing and reopening alerts. */
export function alertRoutes(deps: AlertRouteDeps): Route[] {
  return [listRoute(deps), readRoute(deps), acknowledgeRoute(deps), snoozeRoute(deps), reopenRoute(deps)];
}

function listRoute({ clock, notificationsOf }: AlertRouteDeps): Route {
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
    handler: async ({ db, session: { accountNo, zone }, query }) => {
      const { limit, offset, cursor } = readCursor(query, 'alert_id');
      const beforeNo = cursor === undefined ? undefined : await findAlertNo(db, accountNo, cursor);
      if (cursor !== undefined && beforeNo === undefined) throw missing('alert');
      const page = { ...(await readFilter(db, { accountNo, zone }, query)), beforeNo, limit, offset };
      const found = await listAlerts(db.kysely, accountNo, { ...page, nowUs: clock.nowUs() });
      const { rows, next } = cutCursor(found, limit, 'before', (row) => row.alert_id);
      const notifications = await notificationsOf(
        db.kysely,
        rows.map((row) => row.alert_no),
      );
      return { body: rows.map((row) => showAlert(row, zone, notifications, clock.nowUs())), next };
    },
  });
}

/**
 * Reads the filters. Throws a Problem: 1004 for a name that is none, 1003 for a tag or Location that the account does
 * not have.
 */
async function readFilter(
  db: Reader,
  { accountNo, zone }: Pick<Session, 'accountNo' | 'zone'>,
  query: z.output<typeof alertQuery>,
): Promise<Omit<AlertPage, 'limit' | 'offset' | 'nowUs'>> {
  const { State, Severity, Tag, Location, Kind: kinds, Device } = query;
  const tagNos = Tag === undefined ? undefined : await readTagNos(db, accountNo, Tag);
  const locationNos = Location === undefined ? undefined : await readLocationNos(db, accountNo, Location);
  return {
    ...readSpan(query, zone),
    kinds,
    deviceIds: Device === undefined ? undefined : membersOf('Device', Device),
    tagNos,
    locationNos,
    shadow: query.Shadow,
    suppressed: query.Suppressed,
    states: State,
    severities: Severity,
  };
}

/** The common part of the routes of one alert. */
function oneAlert({ clock, notificationsOf }: AlertRouteDeps) {
  const read = async ({ kysely }: Reader, { accountNo }: Session, alertId: string) => {
    if (!isId(alertId)) return undefined;
    const page = { alertId, limit: 1, offset: 0, nowUs: clock.nowUs() };
    return (await listAlerts(kysely, accountNo, page))[0];
  };
  return {
    tag: 'Alerts',
    names,
    response: alertRecord,
    subject: {
      what: 'alert' as const,
      find: (session: Session, { alert_id: alertId = '' }: Readonly<Record<string, string>>, db: Reader) =>
        read(db, session, alertId),
    },
    answer: async (db: Reader, session: Session, alertId: string) => {
      const row = await read(db, session, alertId);
      if (row === undefined) throw missing('alert');
      const notifications = await notificationsOf(db.kysely, [row.alert_no]);
      return { body: showAlert(row, session.zone, notifications, clock.nowUs()) };
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
    handler: ({ db, session, subject }) => answer(db, session, subject.alert_id),
  });
}

function acknowledgeRoute(deps: AlertRouteDeps): Route {
  const { answer, ...shared } = oneAlert(deps);
  const { clock, change } = deps;
  return route({
    ...shared,
    method: 'PUT',
    path: '/alerts/{alert_id}/acknowledge',
    limitedCallers: 'permitted',
    level: 'UO',
    summary: 'Acknowledges an alert: no repeats and no further steps.',
    description:
      'Whoever was notified of the outage is still notified of its end. A new outage is a new alert. A closed alert is 1005.',
    body: acknowledgement,
    handler: async ({ db, session, subject: { alert_id: alertId }, body: { Note: note, By } }) => {
      const { accountNo, keyNo } = session;
      const nowUs = clock.nowUs();
      const outcome = await change(db, session, async ({ trx, record }) => {
        const by = By ?? (await nameOfKey(trx, keyNo));
        const done = await acknowledge(trx, { accountNo, alertId, by, note, nowUs });
        const fields = [{ field: 'Acknowledged', old: null, new: { By: by, Note: note } }];
        if (done.kind === 'done') record({ action: 'update', kind: 'alert', accountNo, id: alertId, fields });
        return done;
      });
      refuse(outcome);
      return answer(db, session, alertId);
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
    limitedCallers: 'permitted',
    level: 'UO',
    summary: 'Snoozes an alert: what it would send meanwhile is sent at the end.',
    description: 'A second snooze replaces the first one. A closed alert is 1005.',
    body: snoozing,
    handler: async ({ db, session, subject: { alert_id: alertId }, body: { Duration } }) => {
      const { accountNo, zone } = session;
      const nowUs = clock.nowUs();
      const untilUs = nowUs + readDuration(Duration);
      const outcome = await change(db, session, async ({ trx, record }) => {
        const done = await snooze(trx, { accountNo, alertId, untilUs, nowUs });
        const fields = [{ field: 'SnoozedUntil', old: null, new: zone.format(untilUs) }];
        if (done.kind === 'done') record({ action: 'update', kind: 'alert', accountNo, id: alertId, fields });
        return done;
      });
      refuse(outcome);
      return answer(db, session, alertId);
    },
  });
}

function reopenRoute(deps: AlertRouteDeps): Route {
  const { answer, ...shared } = oneAlert(deps);
  const { clock, change } = deps;
  return route({
    ...shared,
    method: 'PUT',
    path: '/alerts/{alert_id}/reopen',
    limitedCallers: 'permitted',
    level: 'UO',
    summary: 'Takes an acknowledgement or a snooze back: the alert is open again.',
    description:
      'Repeats go on, and steps whose time has come are sent. Incidents elsewhere stay acknowledged. A closed alert is 1005.',
    handler: async ({ db, session, subject }) => {
      const { accountNo, zone } = session;
      const {
        alert_id: alertId,
        acknowledged_by: By,
        acknowledged_note: Note,
        snoozed_until_us: until,
      } = subject;
      const outcome = await change(db, session, async ({ trx, record }) => {
        const done = await reopen(trx, { accountNo, alertId, nowUs: clock.nowUs() });
        const fields = [
          ...(By === null ? [] : [{ field: 'Acknowledged', old: { By, Note }, new: null }]),
          ...(until === null ? [] : [{ field: 'SnoozedUntil', old: zone.format(until), new: null }]),
        ];
        if (done.kind === 'done') record({ action: 'update', kind: 'alert', accountNo, id: alertId, fields });
        return done;
      });
      refuse(outcome);
      return answer(db, session, alertId);
    },
  });
}

/** Throws a Problem where the action was not done. */
function refuse(outcome: AlertActionOutcome): void {
  if (outcome.kind === 'missing') throw missing('alert');
  if (outcome.kind === 'closed')
    throw conflict(
      'alert_closed',
      'The alert is closed. Only an alert that is open can be acknowledged, snoozed or reopened.',
    );
}
