import { alertKinds, type PreviewedMessage, previewMessages, type Schedule } from '@vantage/alerts';
import { toScheduleStep } from '@vantage/alerts/stored-steps';
import { cleanLine, dayUs, minuteUs, severities } from '@vantage/domain';
import { boundedText, type Clock } from '@vantage/kernel';
import { idField, showTimes, timeNames, timestampField } from '@vantage/rest-kit/field';
import { invalid } from '@vantage/rest-kit/problem';
import type { Route } from '@vantage/rest-kit/route';
import { noSubject, route } from '@vantage/rest-kit/route-factories';
import type { Session } from '@vantage/rest-kit/session';
import { createZone, timestampProblem, type Zone } from '@vantage/rest-kit/zone';
import { z } from 'zod';
import type { Catalog } from '../../resources/change.ts';
import { resourceRoutes } from '../../resources/resource-routes.ts';
import { zoneField } from '../../resources/zone-field.ts';
import { nscheduleCreate, nscheduleFull, nscheduleUpdate, toStored } from './schedule-fields.ts';
import { contactsById, listNschedules, type NscheduleRow, type PreviewedContact } from './schedule-store.ts';
import { contactFaults, nscheduleWriter, showNschedule, withContactIds } from './schedule-write.ts';

const names = {
  tag: 'Notification schedules',
  what: 'notification schedule' as const,
  root: 'nschedule',
  id: 'nschedule_id',
} as const;

const texts = {
  create: {
    summary: 'Creates a notification schedule: who is notified, when and how often.',
    description:
      'Devices, Locations and the account name it as their nschedule_id. A device that names none uses the one of the account.',
  },
  list: { summary: 'Lists notification schedules by name.' },
  read: { summary: 'A notification schedule.' },
  change: {
    summary: 'Changes a notification schedule: what is absent stays.',
    description: 'Steps are replaced whole.',
  },
  remove: {
    summary: 'Deletes a notification schedule that nothing uses.',
    description: '1005 names the devices and Locations that use it, and the account.',
  },
} as const;

/** Creating, listing, reading, changing, deleting and previewing notification schedules. */
export function nscheduleRoutes({
  catalog,
  clock,
}: {
  readonly catalog: Catalog;
  readonly clock: Clock;
}): Route[] {
  const resource = resourceRoutes({
    names,
    texts,
    catalog,
    show,
    write: nscheduleWriter,
    create: nscheduleCreate,
    update: nscheduleUpdate,
    full: nscheduleFull,
    readOnly: ['nschedule_id', ...timeNames],
    list: listNschedules,
  });
  return [previewRoute(clock), ...resource];
}

function show(row: NscheduleRow, { zone }: Session): z.input<typeof nscheduleFull> {
  return { nschedule_id: row.nschedule_id, ...showNschedule(row, {}), ...showTimes(row, zone) };
}

/** A preview shows this span, up to a maximum of messages. */
const previewedUs = 7 * dayUs;
const maxMessages = 200;

const body = z
  .strictObject({
    Steps: nscheduleCreate.shape.Steps,
    Timezone: zoneField,
    At: boundedText(100)
      .nullable()
      .optional()
      .describe('When the alert is confirmed; null: now.')
      .meta({ example: '2026-03-01T03:10:00+01:00' }),
    Severity: z.enum(severities).default('critical').describe('Severity of the alert.'),
    Kind: z.enum(alertKinds).default('device.down').describe('Kind of the alert.'),
  })
  .meta({ id: 'NotificationSchedulePreview' });

const contact = z.strictObject({ contact_id: idField, Name: z.string() });

const message = z
  .strictObject({
    Timestamp: timestampField,
    Steps: z.array(z.int()).describe('Which steps send it, from 1.'),
    Repeat: z.boolean().describe('These steps have sent one before.'),
    Contacts: z.array(contact).describe('Who is notified.'),
    NotNotified: z
      .array(z.strictObject({ ...contact.shape, Reason: z.string() }))
      .describe('Contacts of these steps that are not notified, each with the reason.'),
    Text: z.string().describe("The same in a sentence, in the schedule's zone."),
  })
  .meta({ id: 'PreviewedMessage' });

/** The notifications of a schedule, which need not be stored. */
function previewRoute(clock: Clock): Route {
  return route({
    method: 'POST',
    path: '/nschedules/preview',
    limitedCallers: 'permitted',
    level: 'UR',
    tag: 'Notification schedules',
    summary: 'Who is notified when, by a schedule that need not be stored.',
    description: `For an alert that lasts 7 days and is not acknowledged: at most ${maxMessages} messages. No message is sent.`,
    subject: noSubject,
    body,
    response: z.array(message),
    names: { root: 'messages', row: 'message', id: 'Timestamp' },
    handler: async ({ db, session: { accountNo, zone }, body: asked }) => {
      const named = await withContactIds(db.kysely, accountNo, asked.Steps);
      const faults = [...atFaults(asked.At ?? null), ...(await contactFaults(db.kysely, accountNo, named))];
      if (faults.length > 0) throw invalid(faults);
      const atUs = (asked.At == null ? undefined : zone.parse(asked.At)) ?? clock.nowUs();
      const timezone = asked.Timezone ?? zone.name;
      const found = previewMessages({
        schedule: scheduleOf(timezone, named),
        kind: asked.Kind,
        severity: asked.Severity,
        atUs,
        untilUs: atUs + previewedUs,
        maxMessages,
      });
      const ids = new Set(found.flatMap(({ contactIds }) => contactIds));
      const contacts = await contactsById(db, accountNo, [...ids]);
      const own = createZone(timezone);
      return {
        body: found.map((each) => showPreview(each, { contacts, kind: asked.Kind, atUs, zone, own })),
      };
    },
  });
}

function atFaults(at: string | null) {
  const problem = at === null ? undefined : timestampProblem(at);
  return problem === undefined ? [] : [{ field: 'At', message: problem }];
}

function scheduleOf(timezone: string, sent: Parameters<typeof contactFaults>[2]): Schedule {
  return {
    timezone,
    steps: sent.map(toStored).map(toScheduleStep),
  };
}

function showPreview(
  sent: PreviewedMessage,
  shown: {
    readonly contacts: ReadonlyMap<string, PreviewedContact>;
    readonly kind: string;
    readonly atUs: number;
    readonly zone: Zone;
    readonly own: Zone;
  },
): z.input<typeof message> {
  const all = sent.contactIds.flatMap((id) => shown.contacts.get(id) ?? []);
  const judged = all.map((each) => ({
    contact_id: each.contact_id,
    Name: cleanLine(each.name),
    Reason: reasonAgainst(each, shown.kind),
  }));
  const notified = judged.filter(({ Reason }) => Reason === undefined);
  const local = shown.own.format(sent.atUs);
  const day = new Date(`${local.slice(0, 10)}T00:00:00Z`).toLocaleDateString('en', {
    weekday: 'short',
    timeZone: 'UTC',
  });
  const names = notified.length === 0 ? 'nobody' : notified.map(({ Name }) => Name).join(', ');
  const delay = `${afterText(sent.atUs - shown.atUs)}${sent.isRepeat ? ', again' : ''}`;
  return {
    Timestamp: shown.zone.format(sent.atUs),
    Steps: sent.steps.map((place) => place + 1),
    Repeat: sent.isRepeat,
    Contacts: notified.map(({ contact_id, Name }) => ({ contact_id, Name })),
    NotNotified: judged.flatMap(({ Reason, ...each }) => (Reason === undefined ? [] : [{ ...each, Reason }])),
    Text: `${day} ${local.slice(11, 16)}, ${delay}: ${names}.`,
  };
}

function reasonAgainst({ notify, shadow }: PreviewedContact, kind: string): string | undefined {
  if (notify !== null && !notify.includes(kind)) return `Notify of the contact does not have ${kind}.`;
  return shadow ? 'The contact is in shadow: what it would get is stored and not sent.' : undefined;
}

function afterText(us: number): string {
  const minutes = Math.round(us / minuteUs);
  if (minutes === 0) return 'at once';
  const parts = [
    [Math.floor(minutes / 1_440), 'd'],
    [Math.floor(minutes / 60) % 24, 'h'],
    [minutes % 60, 'min'],
  ] as const;
  const shown = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`);
  return `after ${shown.join(' ')}`;
}
