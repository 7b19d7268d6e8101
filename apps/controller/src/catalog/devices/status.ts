import { type RawBuilder, sql } from 'kysely';

/** Placeholder swapped below. */
export function statusOf(nowUs: number): RawBuilder<unknown> {
  return sql`(select
      case when exists (select 1 from maintenance_windows w where w.device_no = d.device_no and w.from_us <= ${nowUs} and w.to_us > ${nowUs})
        then 'Maint' else coalesce(s.status, 'Unknown') end as status,
      coalesce(s.since_us, d.created_us) as since_us,
      coalesce(s.retrying, false) as retrying
    from (select 1) one left join device_state s on s.device_no = d.device_no)`;
}
