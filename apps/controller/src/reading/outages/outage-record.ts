import { checkId, cleanLine, secondUs } from '@vantage/domain';
import { idField, lineField, timestampField } from '@vantage/rest-kit/field';
import type { Zone } from '@vantage/rest-kit/zone';
import { z } from 'zod';
import type { OutageRow } from './outage-page.ts';

const noteField = lineField(500)
  .nullable()
  .describe('What people say about it, one line; null: nothing.')
  .meta({ example: 'power of rack 3, see the post-mortem' });
const excludedField = z
  .boolean()
  .describe('Uptime leaves the outage out, and says so in ExcludedSeconds and ExcludedOutages.');

/** The fields of an outage that a client may change. */
export const outageUpdate = z
  .strictObject({ Note: noteField.optional(), Excluded: excludedField.optional() })
  .meta({ id: 'OutageUpdate' });

/** An outage as answers show it. */
export const outageRecord = z
  .strictObject({
    outage_id: idField,
    device_id: idField,
    ShortName: z.string(),
    FullName: z.string().nullable(),
    Start: timestampField.describe(
      'The first error of the failure, or the end of the maintenance that it fell into.',
    ),
    End: timestampField
      .nullable()
      .describe('The check that found the device Up again; null while the outage is open.'),
    Seconds: z.int().min(0).describe('From Start to End, or to now.').meta({ example: 312 }),
    Location: z.string().nullable().describe('Location of the first error.'),
    Locations: z
      .array(z.string())
      .describe('Names of the Locations of its first error, of the check that confirmed it, and of Partial.')
      .meta({ example: ['local'] }),
    CheckResult: z
      .string()
      .nullable()
      .describe('Result of the first error; null where its event is not known.')
      .meta({ example: 'connection refused by 192.0.2.10:443' }),
    check_id: idField
      .nullable()
      .describe('The check of the first error; checks are kept for a shorter time than outages.'),
    alert_id: idField.nullable().describe('Its latest alert; null: it has none.'),
    Acknowledged: z.boolean().describe('The alert of this outage was acknowledged.'),
    Behind: z
      .int()
      .min(0)
      .describe(
        'Devices that are reached through this one (its device_master_id chain) and were Down with it.',
      )
      .meta({ example: 0 }),
    Note: noteField,
    Excluded: excludedField,
  })
  .meta({ id: 'Outage' });

/** The fields of an outage that a client may send back and cannot change. */
export const readOnlyFields: readonly string[] = Object.keys(outageRecord.shape).filter(
  (field) => !(field in outageUpdate.shape),
);

/** The outage as an answer shows it; times are microseconds since 1970. */
export function showOutage(row: OutageRow, zone: Zone, nowUs: number): z.input<typeof outageRecord> {
  return {
    outage_id: outageId(row),
    device_id: row.device_id,
    ShortName: row.short_name,
    FullName: row.full_name === null ? null : cleanLine(row.full_name),
    Start: zone.format(row.start_us),
    End: row.end_us === null ? null : zone.format(row.end_us),
    Seconds: wholeSeconds(row.end_us ?? nowUs) - wholeSeconds(row.start_us),
    Location: row.location,
    Locations: [...row.locations],
    CheckResult: row.check_result,
    check_id: row.check_id,
    alert_id: row.alert_id,
    Acknowledged: row.acknowledged,
    Behind: row.behind,
    Note: row.note,
    Excluded: row.excluded,
  };
}

/** An outage is known by its device and its first error, in the form of a check's id without an agent. */
export function outageId({ device_no, from_us }: Pick<OutageRow, 'device_no' | 'from_us'>): string {
  return checkId({ deviceNo: device_no, startUs: from_us, agentNo: 0 });
}

function wholeSeconds(us: number): number {
  return Math.floor(us / secondUs);
}
