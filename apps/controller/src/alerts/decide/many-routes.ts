import { alertKinds, severities } from '@vantage/alerts';
import { boundedText } from '@vantage/kernel';
import { z } from 'zod';
import { readDuration } from '../../rest/http/duration.ts';
import { someOf } from '../../rest/http/members.ts';
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
import { nameOfKey } from './acknowledge.ts';
import { type AlertsAction, actOnAlerts, type Chosen, knownAlerts, lockChosen } from './many-store.ts';
import { type AlertRouteDeps, acknowledgement, snoozing } from './routes.ts';
import { sampleId } from './show-alert.ts';

/** A request names at most so many alerts. */
const mostNamed = 1_000;
/** A Filter may leave at most so many. */
const mostFiltered = 10_000;

const filter = z
  .strictObject({
    Kind: someOf(alertKinds, 'Alerts of this kind only.'),
    Severity: someOf(severities, 'Alerts of this severity only.'),
    Device: deviceQuery('the alerts of these devices only'),
    Tag: tagQuery('the alerts of their devices only'),
    Location: locationQuery('their alerts, and those of the devices that are checked from there'),
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
    throw invalid([{ field: 'Alerts', message: 'or Filter must be given, and not both' }]);
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
