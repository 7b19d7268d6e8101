import { sql } from 'kysely';
import type { Db } from '../db/index.ts';

/** An event with the names that people know. */
export interface EventRow {
  readonly event_id: string;
  readonly device_id: string | null;
  readonly at_us: number;
  readonly type: string;
  readonly status: string;
  readonly location: string | null;
  readonly check_result: string | null;
  readonly check_id: string | null;
  readonly message: string;
  readonly duration_s: number | null;
  readonly late: boolean;
}

/** Whose events: a device's, or all of an account's. */
export type EventScope = { readonly deviceNo: number } | { readonly accountNo: number };

/** Events before a moment, newest first, one row more than `limit` to know whether there are more. */
export async function listEvents(
  { kysely }: Db,
  scope: EventScope,
  page: { readonly beforeUs: number; readonly limit: number; readonly offset: number },
): Promise<readonly EventRow[]> {
  const own = 'deviceNo' in scope ? sql`device_no = ${scope.deviceNo}` : sql`account_no = ${scope.accountNo}`;
  const { rows } = await sql<EventRow>`
    select e.event_id, d.device_id, e.at_us, e.type, e.status, l.name as location, e.check_result, e.check_id, e.message,
      e.duration_s, e.late
    from (select * from events where ${own} and at_us < ${page.beforeUs}
      order by at_us desc, event_no desc limit ${page.limit + 1} offset ${page.offset}) e
    left join devices d using (device_no) left join locations l on l.location_no = e.location_no
    order by e.at_us desc, e.event_no desc`.execute(kysely);
  return rows;
}
