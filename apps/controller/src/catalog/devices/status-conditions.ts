import { isOneOf } from '@vantage/storage';
import { type RawBuilder, sql } from 'kysely';
import type { DeviceListRequest } from './device-list-request.ts';

/** PostgreSQL builds one hash of the exceptions for each statement. */
export const isOrdinary = sql`s.device_no not in (select a.device_no from apart a)`;

export function statusIs(
  { filter: { statuses } }: DeviceListRequest,
  shown: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return statuses === undefined ? sql`true` : isOneOf(shown, statuses, 'text');
}

/** The order of the rows f, or of their devices d. */
export function orderOf({ sort }: DeviceListRequest): RawBuilder<unknown> {
  const keys = {
    CreatedAt: [],
    ShortName: [sql`d.short_name`],
    Status: [sql`f.status`],
    StatusSince: [sql`f.since_us`],
  };
  const direction = sort.descending ? sql`desc` : sql`asc`;
  const no = sort.field === 'ShortName' ? sql`d.device_no` : sql`f.device_no`;
  return sql.join([...keys[sort.field], no].map((key) => sql`${key} ${direction}`));
}
