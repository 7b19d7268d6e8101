import { eventTypes } from '@vantage/health';
import { idField, timestampField } from '@vantage/rest-kit/field';
import { someOf } from '@vantage/rest-kit/members';
import { deviceQuery, tagQuery } from '@vantage/rest-kit/named';
import { beforeQuery, sentLimit, timestampQuery } from '@vantage/rest-kit/paging';
import type { Zone } from '@vantage/rest-kit/zone';
import { z } from 'zod';
import type { EventRow } from './event-store.ts';
import { historyQuery } from './list-filters.ts';

export const eventRecord = z
  .strictObject({
    event_id: idField,
    device_id: idField.nullable().describe('null: the event is about a Location or an agent.'),
    ShortName: z
      .string()
      .nullable()
      .describe("The device's; null where the event is about a Location or an agent."),
    FullName: z.string().nullable(),
    Timestamp: timestampField.describe('End of the check that caused it.'),
    Type: z
      .string()
      .meta({ description: 'What changed.', override: { type: 'string', enum: [...eventTypes] } }),
    Status: z
      .string()
      .describe(
        "The device's status after it; of a Location Unknown while it is offline, Up when it is online.",
      ),
    Location: z.string().nullable(),
    location_id: idField.nullable(),
    CheckResult: z.string().nullable(),
    check_id: idField.nullable(),
    Message: z.string(),
    Duration: z.int().nullable().describe('Seconds of the state that just ended.'),
    Late: z.boolean().describe('Its check arrived late, after a cut.'),
  })
  .meta({ id: 'Event' });

export const query = z.object({
  Timestamp: timestampQuery(
    'Events before this moment; default: now. A timestamp in whole seconds includes that whole second.',
  ),
  ...historyQuery,
  Type: someOf(eventTypes, 'Events of these types only.', { kind: { field: 'Type', what: 'type of event' } }),
  ...beforeQuery('event_id'),
});

export const accountQuery = z.object({
  ...query.shape,
  Device: deviceQuery('events of these devices only'),
  Tag: tagQuery('events of devices that have one of them now only'),
});

export const streamQuery = z.object({
  ...accountQuery.shape,
  Limit: sentLimit,
  stream: z
    .enum(['', '1', 'true', 'Y', '0', 'false', 'N'])
    .optional()
    .describe(
      'Server-sent events instead: each new event once, as it is recorded; Last-Event-ID resumes after that event. It obeys Type, Location, Device and Tag, and refuses the other parameters.',
    ),
});

/** Parameters that make no sense for events that are still to come. */
export const pastOnly = ['Timestamp', 'Timestamp1', 'Timestamp2', 'Limit', 'Offset', 'Before'] as const;

/** An event as answers, streams and hooks show it. */
export function showEvent(row: EventRow, zone: Zone): z.input<typeof eventRecord> {
  return {
    event_id: row.event_id,
    device_id: row.device_id,
    ShortName: row.short_name,
    FullName: row.full_name,
    Timestamp: zone.format(row.at_us),
    Type: row.type,
    Status: row.status,
    Location: row.location,
    location_id: row.location_id,
    CheckResult: row.check_result,
    check_id: row.check_id,
    Message: row.message,
    Duration: row.duration_s,
    Late: row.late,
  };
}
