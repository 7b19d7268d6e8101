import { cleanLine, secondUs } from '@vantage/domain';
import { recurrenceFault } from '@vantage/health';
import { boundedText } from '@vantage/kernel';
import { idField, lineField, shownTimes, timestampField } from '@vantage/rest-kit/field';
import { durationField, durationText, readDuration } from '@vantage/rest-kit/time-span';
import { z } from 'zod';
import { identityTable } from '../../resources/external-key.ts';
import {
  createShape,
  type Fields,
  type RowOf,
  shownShape,
  updateShape,
} from '../../resources/field-table.ts';
import { zoneTable } from '../../resources/zone-field.ts';

const startRule = 'must be a local time from the years 2000 to 2099 as YYYY-MM-DDThh:mm';
/** Whether the calendar has this local time; the pattern may have refused the text already. */
function isRealTime(text: string): boolean {
  const ms = Date.parse(`${text}Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}

/** The settings of a maintenance schedule, each once. */
export const mscheduleTable = {
  Name: {
    column: 'name',
    schema: lineField(200, 1),
    text: 'Name of the schedule.',
    sentText: 'Name of the schedule; need not be unique.',
    example: 'Patch Sunday',
    isExampleSaid: true,
    byDefault: '',
    isRequired: true,
    show: cleanLine,
  },
  ...zoneTable,
  Start: {
    column: 'start_local',
    schema: boundedText(100)
      .regex(/^20\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d$/, startRule)
      .refine((text) => isRealTime(text), startRule),
    text: 'Begin of the first window, on the clocks of Timezone.',
    sentText: 'Begin of the first window, on the clocks of Timezone: `YYYY-MM-DDThh:mm`.',
    example: '2026-03-01T02:00',
    isExampleSaid: true,
    byDefault: '',
    isRequired: true,
  },
  Duration: {
    column: 'duration_s',
    schema: durationField,
    text: 'How long each window lasts, HH:MM.',
    sentText: 'How long each window lasts: HH:MM of elapsed time, 00:01 to 99:59.',
    example: '02:00',
    byDefault: 0,
    isRequired: true,
    store: (text: string) => readDuration(text) / secondUs,
    show: durationText,
  },
  Recurrence: {
    column: 'recurrence',
    schema: boundedText(500, 1).superRefine((text, context) => {
      const fault = recurrenceFault(text);
      if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
    }),
    text: 'A rule of RFC 5545; null: once, at Start.',
    sentText:
      'When windows begin: a rule of RFC 5545, section 3.3.10, with FREQ DAILY, WEEKLY, MONTHLY or YEARLY; null: once, at Start.',
    example: 'FREQ=WEEKLY;BYDAY=SU',
    isExampleSaid: true,
    byDefault: null,
  },
  EndOnFirstOk: {
    column: 'end_on_first_ok',
    schema: z.boolean(),
    text: 'The first good check after a bad one inside a window ends it.',
    sentText: 'The first good check after a bad one inside a window ends it; null: false.',
    example: false,
    byDefault: false,
  },
  ...identityTable,
} as const satisfies Fields;
const sent = createShape(mscheduleTable);

/** The body of POST /mschedules. */
export const mscheduleCreate = z.strictObject(sent).meta({ id: 'MaintenanceScheduleCreate' });

/** The body of POST /mschedules/preview. */
export const mschedulePreview = z
  .strictObject({
    Timezone: sent.Timezone,
    Start: sent.Start,
    Duration: sent.Duration,
    Recurrence: sent.Recurrence,
  })
  .meta({ id: 'MaintenanceSchedulePreview' });

/** The body of PUT /mschedules/{mschedule_id}: what is absent stays as it is. */
export const mscheduleUpdate = z
  .strictObject(updateShape(mscheduleTable))
  .meta({ id: 'MaintenanceScheduleUpdate' });

/** A maintenance schedule as answers show it. */
export const mscheduleFull = z
  .strictObject({ mschedule_id: idField, ...shownShape(mscheduleTable), ...shownTimes })
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

/** The settings of a schedule, as the database stores them. */
export type MscheduleSettings = RowOf<typeof mscheduleTable>;
