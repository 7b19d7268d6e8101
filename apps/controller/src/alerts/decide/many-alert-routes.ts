import { alertKinds } from '@vantage/alerts';
import { severities } from '@vantage/domain';
import { boundedText } from '@vantage/kernel';
import { inBody, someOf } from '@vantage/rest-kit/members';
import {
  deviceQuery,
  locationQuery,
  membersOf,
  readLocationNos,
  readTagNos,
  tagQuery,
} from '@vantage/rest-kit/named';
import { invalid } from '@vantage/rest-kit/problem';
import type { Route } from '@vantage/rest-kit/route';
import { noSubject, route } from '@vantage/rest-kit/route-factories';
import type { Session } from '@vantage/rest-kit/session';
import { readDuration } from '@vantage/rest-kit/time-span';
import type { Db, Reader } from '@vantage/storage';
import { z } from 'zod';
import { nameOfKey } from './acknowledge.ts';
import { type AlertRouteDeps, acknowledgementFields, snoozing } from './alert-routes.ts';
import {
  type AlertsAction,
  actOnAlerts,
  type ChosenAlerts,
  knownAlerts,
  lockChosen,
} from './many-alert-store.ts';
import { sampleId } from './show-alert.ts';

/** A request names at most this many alerts. */
const maxNamed = 1_000;
/** A Filter may leave at most this many alerts. */
const maxFiltered = 10_000;

const openStates = ['Open', 'Acknowledged', 'Snoozed'] as const;

const filter = z
  .strictObject({
    State: inBody(
      someOf(openStates, 'Alerts of these states only, joined by commas; default: all that are not closed.'),
      'Open',
    ),
    Kind: inBody(someOf(alertKinds, 'Alerts of these kinds only, joined by commas.'), 'device.down'),
    Severity: inBody(someOf(severities, 'Alerts of these severities only, joined by commas.'), 'critical'),
    Device: inBody(deviceQuery('the alerts of these devices only'), sampleId),
    Tag: inBody(tagQuery('the alerts of their devices only'), 'berlin/rack-3'),
    Location: inBody(
      locationQuery('their alerts, and those of the devices that are checked from there'),
      'local',
    ),
  })
  .meta({ id: 'AlertFilter', description: 'Alerts that are not closed; an empty object: all of them.' });

const chosen = {
  Alerts: z
    .array(boundedText(100))
    .min(1)
    .max(maxNamed)
    .optional()
    .describe(`The alerts, at most ${maxNamed}. Either this or Filter.`)
    .meta({ example: [sampleId] }),
  Filter: filter
    .optional()
    .describe('All alerts that are not closed and that it leaves. Either this or Alerts.'),
  Preview: z
    .boolean()
    .default(false)
    .describe('Changes nothing: Matched says how many alerts are meant.')
    .meta({ example: false }),
};

const manyAcknowledged = z.strictObject({ ...chosen, ...acknowledgementFields }).meta({
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
    Matched: z
      .int()
      .describe('How many alerts are meant; with Preview, those of them that are not closed.')
      .meta({ example: 3 }),
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
    limitedCallers: 'permitted',
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
      description: `Each as PUT /alerts/{alert_id}/acknowledge does. A Filter that leaves more than ${maxFiltered} alerts is 1004.`,
      body: manyAcknowledged,
      handler: async ({ db, session, body }) => {
        const { Note: note } = body;
        const actionBy = (by: string): AlertsAction => ({ kind: 'acknowledge', by, note });
        return { body: await actOnMany(db, deps, session, { body, actionBy }) };
      },
    }),
    route({
      ...shared,
      path: '/alerts/snooze',
      summary: 'Snoozes many alerts: those that are named, or all that a Filter leaves.',
      description: `Each as PUT /alerts/{alert_id}/snooze does. A Filter that leaves more than ${maxFiltered} alerts is 1004.`,
      body: manySnoozed,
      handler: async ({ db, session, body }) => {
        const untilUs = clock.nowUs() + readDuration(body.Duration);
        const actionBy = (): AlertsAction => ({ kind: 'snooze', untilUs });
        return { body: await actOnMany(db, deps, session, { body, actionBy }) };
      },
    }),
  ];
}

/** The part of a body that says which alerts are meant. */
interface ChosenBody {
  readonly Alerts?: readonly string[] | undefined;
  readonly Filter?: z.output<typeof filter> | undefined;
  readonly Preview: boolean;
}

/** Throws a Problem: 1004 where both or none of the two are given, 1003 for a tag or Location that is not there. */
async function readChosen(
  db: Reader,
  { accountNo }: Session,
  body: ChosenBody,
  nowUs: number,
): Promise<ChosenAlerts> {
  const { Alerts: alertIds, Filter } = body;
  if (alertIds !== undefined && Filter === undefined) return { alertIds: [...new Set(alertIds)] };
  if (Filter === undefined || alertIds !== undefined)
    throw invalid([{ field: 'Alerts', message: 'Send either Alerts or Filter' }]);
  const { State: states, Kind: kinds, Severity: chosenSeverities, Device, Tag, Location } = Filter;
  return {
    states,
    nowUs,
    kinds,
    severities: chosenSeverities,
    deviceIds: Device === undefined ? undefined : membersOf('Device', Device),
    tagNos: Tag === undefined ? undefined : await readTagNos(db, accountNo, Tag),
    locationNos:
      Location === undefined ? undefined : await readLocationNos(db, accountNo, Location, { deleted: false }),
  };
}

async function actOnMany(
  db: Db,
  { clock, change }: AlertRouteDeps,
  session: Session,
  { body, actionBy }: { readonly body: ChosenBody; readonly actionBy: (by: string) => AlertsAction },
): Promise<z.output<typeof outcome>> {
  const { accountNo, keyNo, zone } = session;
  const nowUs = clock.nowUs();
  const meant = await readChosen(db, session, body, nowUs);
  return change(db, session, async ({ trx, record }) => {
    const action = actionBy(await nameOfKey(trx, keyNo));
    const open = await lockChosen(trx, accountNo, meant, maxFiltered + 1);
    if (open.length > maxFiltered)
      throw invalid([
        { field: 'Filter', message: `leaves more than ${maxFiltered} alerts; name a Tag or a Location` },
      ]);
    if (body.Preview) return { Matched: open.length, Changed: 0, Refused: [] };
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
