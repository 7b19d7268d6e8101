import { weekdays } from '@vantage/alerts';
import { type StoredSteps, storedSteps } from '@vantage/alerts/stored-steps';
import { cleanLine, severities } from '@vantage/domain';
import { boundedText } from '@vantage/kernel';
import { idField, lineField, shownTimes } from '@vantage/rest-kit/field';
import { z } from 'zod';
import { identityTable, referenceField } from '../../resources/external-key.ts';
import {
  createShape,
  type Fields,
  type RowOf,
  shownShape,
  updateShape,
} from '../../resources/field-table.ts';
import { zoneTable } from '../../resources/zone-field.ts';

/** A week. */
const maxMinutes = 7 * 24 * 60;
const exampleId = '27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802';

const timeOfDay = (text: string, example: string) =>
  boundedText(100)
    .regex(
      /^(?:[01]\d|2[0-3]):[0-5]\d$/,
      `must be a time of day as HH:MM from 00:00 to 23:59, for example ${example}`,
    )
    .nullable()
    .optional()
    .describe(text)
    .meta({ example });

const step = z
  .strictObject({
    DelayMinutes: z
      .int()
      .min(0)
      .max(maxMinutes)
      .describe('Minutes from the confirmed alert to this step, in wall time.')
      .meta({ example: 15 }),
    Contacts: z
      .array(referenceField.min(1))
      .min(1)
      .max(50)
      .describe('The contacts that are notified: the contact_id of each, or key: and its ExternalKey.')
      .meta({ example: [exampleId] }),
    Days: z
      .array(z.enum(weekdays))
      .min(1)
      .max(7)
      .nullable()
      .optional()
      .describe('Days on which it may notify, by the day of From; null: all.')
      .meta({ example: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri'] }),
    From: timeOfDay(
      "Begin of the hours in which it may notify, in the schedule's zone; null: 00:00.",
      '08:00',
    ),
    To: timeOfDay('Their end; before From, they go past midnight; null: midnight.', '18:00'),
    RepeatMinutes: z
      .int()
      .min(1)
      .max(maxMinutes)
      .nullable()
      .optional()
      .describe('Minutes between repeats while the alert is open; null: no repeats.')
      .meta({ example: 60 }),
    Severities: z
      .array(z.enum(severities))
      .min(1)
      .max(severities.length)
      .nullable()
      .optional()
      .describe('The Severity of devices that it is for; null: all.')
      .meta({ example: ['critical'] }),
  })
  .refine(({ From, To }) => (From ?? '00:00') !== (To ?? '24:00'), {
    error: 'must differ from From; leave both out for the whole day',
    path: ['To'],
  })
  .meta({ id: 'ScheduleStep' });

/** The steps of a schedule, in a request. */
const steps = z.array(step).max(20);
type SentStep = z.output<typeof step>;

/** A step without what is not set, and without repetitions. */
export function toStored(step: SentStep): StoredSteps[number] {
  const { DelayMinutes, Contacts, Days, From, To, RepeatMinutes, Severities } = step;
  return {
    DelayMinutes,
    Contacts: [...new Set(Contacts)],
    ...(Days == null ? {} : { Days: [...new Set(Days)] }),
    ...(From == null ? {} : { From }),
    ...(To == null ? {} : { To }),
    ...(RepeatMinutes == null ? {} : { RepeatMinutes }),
    ...(Severities == null ? {} : { Severities: [...new Set(Severities)] }),
  };
}

/** The settings of a notification schedule, each once. */
export const nscheduleTable = {
  Name: {
    column: 'name',
    schema: lineField(200, 1),
    text: 'Name of the schedule.',
    sentText: 'Name of the schedule; need not be unique.',
    example: 'Office hours',
    isExampleSaid: true,
    byDefault: '',
    isRequired: true,
    show: cleanLine,
  },
  ...zoneTable,
  Steps: {
    column: 'steps',
    schema: steps,
    shownSchema: storedSteps,
    text: 'Whom it notifies when; what is not set is absent.',
    sentText: 'Whom it notifies when. The steps are independent of each other.',
    example: [{ DelayMinutes: 0, Contacts: [exampleId], Days: ['Mon', 'Tue'], From: '08:00', To: '18:00' }],
    byDefault: [],
    isRequired: true,
    store: (sent: readonly SentStep[]): StoredSteps => sent.map(toStored),
  },
  ...identityTable,
} as const satisfies Fields;

/** The body of POST /nschedules. */
export const nscheduleCreate = z
  .strictObject(createShape(nscheduleTable))
  .meta({ id: 'NotificationScheduleCreate' });

/** The body of PUT /nschedules/{nschedule_id}: what is absent stays as it is. */
export const nscheduleUpdate = z
  .strictObject(updateShape(nscheduleTable))
  .meta({ id: 'NotificationScheduleUpdate' });

/** A notification schedule as answers show it. */
export const nscheduleFull = z
  .strictObject({ nschedule_id: idField, ...shownShape(nscheduleTable), ...shownTimes })
  .meta({ id: 'NotificationSchedule' });

/** The settings of a schedule, as the database stores them. */
export type NscheduleSettings = RowOf<typeof nscheduleTable>;
