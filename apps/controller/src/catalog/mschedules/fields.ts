import { recurrenceFault } from '@vantage/health';
import { boundedText } from '@vantage/kernel';
import { z } from 'zod';
import { durationField } from '../../http/duration.ts';
import { idField, lineField, shownTimes, timestampField } from '../../http/field.ts';
import { identityFields, shownIdentity } from '../external-key.ts';
import { zoneField } from '../nschedules/fields.ts';

const name = lineField(200, 1)
  .describe('Name of the schedule; need not be unique.')
  .meta({ example: 'Patch Sunday' });
const startRule = 'must be a local time from the years 2000 to 2099 as YYYY-MM-DDThh:mm';
/** Whether the calendar has this local time; the pattern may have refused the text already. */
function isRealTime(text: string): boolean {
  const ms = Date.parse(`${text}Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}

const start = boundedText(100)
  .regex(/^20\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d$/, startRule)
  .refine((text) => isRealTime(text), startRule)
  .describe('Begin of the first window, on the clocks of Timezone: `YYYY-MM-DDThh:mm`.')
  .meta({ example: '2026-03-01T02:00' });
const duration = durationField.describe('How long each window lasts: HH:MM of elapsed time, 00:01 to 99:59.');
const recurrence = boundedText(500, 1)
  .superRefine((text, context) => {
    const fault = recurrenceFault(text);
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
  })
  .nullable()
  .optional()
  .describe(
    'When windows begin: a rule of RFC 5545, section 3.3.10, with FREQ DAILY, WEEKLY, MONTHLY or YEARLY; null: once, at Start.',
  )
  .meta({ example: 'FREQ=WEEKLY;BYDAY=SU' });
const endOnFirstOk = z
  .boolean()
  .nullable()
  .optional()
  .describe('The first good check after a bad one inside a window ends it; null: false.');

/** The body of POST /mschedules. */
export const mscheduleCreate = z
  .strictObject({
    Name: name,
    Timezone: zoneField,
    Start: start,
    Duration: duration,
    Recurrence: recurrence,
    EndOnFirstOk: endOnFirstOk,
    ...identityFields,
  })
  .meta({ id: 'MaintenanceScheduleCreate' });

/** The body of POST /mschedules/preview. */
export const mschedulePreview = z
  .strictObject({ Timezone: zoneField, Start: start, Duration: duration, Recurrence: recurrence })
  .meta({ id: 'MaintenanceSchedulePreview' });

/** The body of PUT /mschedules/{mschedule_id}: what is absent stays as it is. */
export const mscheduleUpdate = z
  .strictObject({
    Name: name.optional(),
    Timezone: zoneField,
    Start: start.optional(),
    Duration: duration.optional(),
    Recurrence: recurrence,
    EndOnFirstOk: endOnFirstOk,
    ...identityFields,
  })
  .meta({ id: 'MaintenanceScheduleUpdate' });

/** A maintenance schedule as answers show it. */
export const mscheduleFull = z
  .strictObject({
    mschedule_id: idField,
    Name: z.string(),
    Timezone: z.string(),
    Start: z.string(),
    Duration: z.string(),
    Recurrence: z.string().nullable(),
    EndOnFirstOk: z.boolean(),
    ...shownIdentity,
    ...shownTimes,
  })
  .meta({ id: 'MaintenanceSchedule' });

/** A window of a preview. */
export const previewWindow = z
  .strictObject({
    LocalStart: z.string().describe("Its begin on the clocks of the schedule's zone."),
    Start: timestampField.nullable().describe('null: the clocks skip this time, so there is no window.'),
    End: timestampField.nullable().describe('Its end; null: there is no window.'),
    Note: z.string().nullable().describe('What a change of the clocks does to it; null: nothing.'),
  })
  .meta({ id: 'MaintenanceWindow' });

/** Settings of a schedule as sent, good fields only. */
export type SentMschedule = {
  readonly [Field in keyof z.output<typeof mscheduleUpdate>]?:
    | z.output<typeof mscheduleUpdate>[Field]
    | undefined;
};
