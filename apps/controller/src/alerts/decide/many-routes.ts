import { alertKinds } from '@vantage/alerts';
import { severities } from '@vantage/domain';
import { boundedText } from '@vantage/kernel';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { isOneOf, type Tables } from '../../platform/db/index.ts';
import { inBody, someOf } from '../../rest/http/members.ts';
import {
  deviceQuery,
  locationQuery,
  membersOf,
  readLocationNos,
  readTagNos,
  tagQuery,
} from '../../rest/http/named.ts';
import { invalid } from '../../rest/http/problem.ts';
import { noSubject, type Route, route } from '../../rest/http/route.ts';
import type { Session } from '../../rest/http/session.ts';
import { readDuration } from '../../rest/http/time-span.ts';
import { nameOfKey } from './acknowledge.ts';
import { type AlertRouteDeps, acknowledgement, snoozing } from './routes.ts';
import { sampleId } from './show-alert.ts';

/** A request names at most so many alerts. */
const mostNamed = 1_000;
/** A Filter may leave at most so many. */
const mostFiltered = 10_000;

const filter = z
  .strictObject({
    Kind: inBody(someOf(alertKinds, 'Alerts of these kinds only, joined by commas.'), 'device.down'),
    Severity: inBody(someOf(severities, 'Alerts of these severities only, joined by commas.'), 'critical'),
    Device: inBody(deviceQuery('the alerts of these devices only'), sampleId),
    Tag: inBody(tagQuery('the alerts of their devices only'), 'berlin/rack-3'),
    Location: inBody(
      locationQuery('their alerts, and those of the devices that are checked from there'),
      'local',
    ),
  })
  .meta({ id: 'AlertFilter', description: 'Open alerts; an empty object: all of them.' });

const chosen = {
  Alerts: z
    .array(boundedText(100))
    .min(1)
    .max(mostNamed)
    .optional()
    .describe(`The alerts, at most ${mostNamed}. Either this or Filter.`)
    .meta({ example: [sampleId] }),
  Filter: filter.optional().describe('All open alerts that it leaves. Either this or Alerts.'),
};

const manyAcknowledged = z.strictObject({ ...chosen, ...acknowledgement.shape }).meta({
  id: 'AlertsAcknowledge',
  description: 'An acknowledgement of many alerts.',
  example: { Filter: { Tag: 'berlin' }, Note: 'on it' },
});

const manySnoozed = z.strictObject({ ...chosen, ...snoozing.shape }).meta({
  id: 'AlertsSnooze',
  description: 'A snooze of many alerts.',
  example: { Alerts: [sampleId], Duration: '01:00' },
});

const outcome = z
  .object({
    Matched: z.int().describe('How many alerts were meant.').meta({ example: 3 }),
    Changed: z.int().describe('How many of them were open, and are changed now.').meta({ example: 2 }),
    Refused: z
      .array(z.object({ alert_id: z.string(), Reason: z.string() }))
      .describe('Those of Alerts that were not changed, each with the reason.')
      .meta({ example: [{ alert_id: sampleId, Reason: 'The alert is closed.' }] }),
  })
  .meta({ id: 'AlertsChanged', description: 'What became of the alerts.' });

/** Acknowledging and snoozing many alerts by one request. */
export function manyAlertRoutes(deps: AlertRouteDeps): Route[] {
  const { clock } = deps;
  const shared = {
    method: 'PUT',
    level: 'UO',
    tag: 'Alerts',
    subject: noSubject,
    response: outcome,
    names: { root: 'alerts' },
  } as const;
  return [
    route({
      ...shared,
      path: '/alerts/acknowledge',
      summary: 'Acknowledges many alerts: those that are named, or all that a Filter leaves.',
      description: `Each as PUT /alerts/{alert_id}/acknowledge does. A Filter that leaves more than ${mostFiltered} alerts is 1004.`,
      body: manyAcknowledged,
      handler: async ({ session, body }) => ({
        body: await actOnMany(deps, session, await readChosen(deps, session, body), (by) => ({
          kind: 'acknowledge',
          by,
          note: body.Note,
        })),
      }),
    }),
    route({
      ...shared,
      path: '/alerts/snooze',
      summary: 'Snoozes many alerts: those that are named, or all that a Filter leaves.',
      description: `Each as PUT /alerts/{alert_id}/snooze does. A Filter that leaves more than ${mostFiltered} alerts is 1004.`,
      body: manySnoozed,
      handler: async ({ session, body }) => {
        const untilUs = clock.nowUs() + readDuration(body.Duration);
        const meant = await readChosen(deps, session, body);
        return { body: await actOnMany(deps, session, meant, () => ({ kind: 'snooze', untilUs })) };
      },
    }),
  ];
}

/** Throws a Problem: 1004 where both or none of the two are given, 1003 for a tag or Location that is not there. */
async function readChosen(
  { db }: AlertRouteDeps,
  { accountNo }: Session,
  body: {
    readonly Alerts?: readonly string[] | undefined;
    readonly Filter?: z.output<typeof filter> | undefined;
  },
): Promise<Chosen> {
  const { Alerts: alertIds, Filter } = body;
  if (alertIds !== undefined && Filter === undefined) return { alertIds: [...new Set(alertIds)] };
  if (Filter === undefined || alertIds !== undefined)
    throw invalid([{ field: 'Alerts', message: 'Send either Alerts or Filter' }]);
  const { Kind: kinds, Severity: chosenSeverities, Device, Tag, Location } = Filter;
  return {
    kinds,
    severities: chosenSeverities,
    deviceIds: Device === undefined ? undefined : membersOf('Device', Device),
    tagNos: Tag === undefined ? undefined : await readTagNos(db, accountNo, Tag),
    locationNos:
      Location === undefined ? undefined : await readLocationNos(db, accountNo, Location, { deleted: false }),
  };
}

async function actOnMany(
  { clock, change }: AlertRouteDeps,
  session: Session,
  meant: Chosen,
  actionBy: (by: string) => AlertsAction,
): Promise<z.output<typeof outcome>> {
  const { accountNo, keyNo, zone } = session;
  const nowUs = clock.nowUs();
  return change(session, async ({ trx, record }) => {
    const action = actionBy(await nameOfKey(trx, keyNo));
    const open = await lockChosen(trx, accountNo, meant, mostFiltered + 1);
    if (open.length > mostFiltered)
      throw invalid([
        { field: 'Filter', message: `leaves more than ${mostFiltered} alerts; name a Tag or a Location` },
      ]);
    await actOnAlerts(trx, open, action, nowUs);
    const field =
      action.kind === 'acknowledge'
        ? { field: 'Acknowledged', old: null, new: { By: action.by, Note: action.note } }
        : { field: 'SnoozedUntil', old: null, new: zone.format(action.untilUs) };
    for (const id of open) record({ action: 'update', kind: 'alert', accountNo, id, fields: [field] });
    if (!('alertIds' in meant)) return { Matched: open.length, Changed: open.length, Refused: [] };
    const changed = new Set(open);
    const known = await knownAlerts(trx, accountNo, meant.alertIds);
    const Refused = meant.alertIds
      .filter((id) => !changed.has(id))
      .map((id) => ({
        alert_id: id,
        Reason: known.has(id) ? 'The alert is closed.' : 'There is no such alert.',
      }));
    return { Matched: meant.alertIds.length, Changed: changed.size, Refused };
  });
}

/** Which of the account's open alerts are meant: these, or all that the filter leaves. */
type Chosen =
  | { readonly alertIds: readonly string[] }
  | {
      readonly kinds: readonly string[] | undefined;
      readonly severities: readonly string[] | undefined;
      readonly deviceIds: readonly string[] | undefined;
      readonly tagNos: readonly number[] | undefined;
      readonly locationNos: readonly number[] | undefined;
    };

/** The action on each alert. Times are microseconds since 1970. */
type AlertsAction =
  | { readonly kind: 'acknowledge'; readonly by: string; readonly note: string | null }
  | { readonly kind: 'snooze'; readonly untilUs: number };

/** The ids of the open alerts that are meant, oldest first, locked until the transaction ends; `limit` at most. */
async function lockChosen(
  trx: Kysely<Tables>,
  accountNo: number,
  chosen: Chosen,
  limit: number,
): Promise<string[]> {
  const conditions = conditionsOf(chosen);
  const { rows } = await sql<{ alert_id: string }>`
    select a.alert_id from alerts a
    where ${sql.join([sql`a.account_no = ${accountNo}::int and a.closed_us is null`, ...conditions], sql` and `)}
    order by a.alert_no limit ${limit} for update of a`.execute(trx);
  return rows.map((row) => row.alert_id);
}

function conditionsOf(chosen: Chosen): RawBuilder<unknown>[] {
  if ('alertIds' in chosen) return [sql`a.alert_id = any(${chosen.alertIds}::text[])`];
  const { kinds, severities, deviceIds, tagNos, locationNos } = chosen;
  return [
    ...(kinds === undefined ? [] : [isOneOf(sql`a.kind`, kinds, 'text')]),
    ...(severities === undefined ? [] : [isOneOf(sql`a.severity`, severities, 'text')]),
    ...(deviceIds === undefined ? [] : [isOneOf(sql`a.device_id`, deviceIds, 'text')]),
    ...(tagNos === undefined
      ? []
      : [sql`a.device_no in (select device_no from device_tags where tag_no = any(${tagNos}::int[]))`]),
    ...(locationNos === undefined
      ? []
      : [
          sql`(a.location_no = any(${locationNos}::int[])
            or a.device_no in (select device_no from device_locations where location_no = any(${locationNos}::int[])))`,
        ]),
  ];
}

/** Which of these alerts the account has, open or closed. */
async function knownAlerts(
  trx: Kysely<Tables>,
  accountNo: number,
  alertIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ alert_id: string }>`
    select alert_id from alerts where account_no = ${accountNo}::int and alert_id = any(${alertIds}::text[])`.execute(
    trx,
  );
  return new Set(rows.map((row) => row.alert_id));
}

/** Acts on these alerts, which are open and locked, in one statement. */
async function actOnAlerts(
  trx: Kysely<Tables>,
  alertIds: readonly string[],
  action: AlertsAction,
  nowUs: number,
): Promise<void> {
  const values =
    action.kind === 'acknowledge'
      ? sql`acknowledged_us = ${nowUs}::bigint, acknowledged_by = ${action.by}, acknowledged_note = ${action.note}`
      : sql`snoozed_until_us = ${action.untilUs}::bigint`;
  await sql`update alerts set ${values}, due_us = ${nowUs}::bigint where alert_id = any(${alertIds}::text[])`.execute(
    trx,
  );
}
