-- Numbers that fit into a smallint have two bytes in a row of `check_rows` (docs/adr/0017-check-rows.md). Rows that are stored stay as they are.
alter table check_rows
  alter column location_no drop not null,       -- null: location_small
  alter column revision drop not null,          -- null: revision_small
  add column location_small smallint null,
  add column revision_small smallint null,
  add column block_small smallint null,         -- microseconds - 32768, and so are the next ones
  add column dns_small smallint null,
  add column connect_small smallint null,
  add column ssl_small smallint null,
  add column ttfb_small smallint null,
  add column ttlb_small smallint null;

create or replace view checks as
select device_no, start_us, agent_no, coalesce(location_no, location_small) as location_no,
  coalesce(end_us, start_us + floor((coalesce(dns_ms, ((dns_small + 32768)::float8 / 1000)::real, 0::real)::float8
    + coalesce(connect_ms, ((connect_small + 32768)::float8 / 1000)::real, 0::real)
    + coalesce(ssl_ms, ((ssl_small + 32768)::float8 / 1000)::real, 0::real)
    + coalesce(ttfb_ms, ((ttfb_small + 32768)::float8 / 1000)::real, 0::real)
    + coalesce(ttlb_ms, ((ttlb_small + 32768)::float8 / 1000)::real, 0::real)) * 1000 + 0.5::float8)::bigint) as end_us,
  coalesce(arrived_us, start_us + arrived_after_us) as arrived_us,
  coalesce(revision, revision_small) as revision, coalesce(attempt, 0::smallint) as attempt, code, coalesce(perf, 0::smallint) as perf,
  coalesce(block_ms, ((block_small + 32768)::float8 / 1000)::real, 0::real) as block_ms,
  coalesce(dns_ms, ((dns_small + 32768)::float8 / 1000)::real, 0::real) as dns_ms,
  coalesce(connect_ms, ((connect_small + 32768)::float8 / 1000)::real, 0::real) as connect_ms,
  coalesce(ssl_ms, ((ssl_small + 32768)::float8 / 1000)::real, 0::real) as ssl_ms,
  coalesce(ttfb_ms, ((ttfb_small + 32768)::float8 / 1000)::real, 0::real) as ttfb_ms,
  coalesce(ttlb_ms, ((ttlb_small + 32768)::float8 / 1000)::real, 0::real) as ttlb_ms,
  coalesce(data_size, data_bytes, 0)::float8 as data_size,
  coalesce(check_result, (select f.check_result from check_facts f where f.device_no = c.device_no
    and f.day_us = c.start_us - c.start_us % 86400000000 and f.facts_no = c.facts_no), '') as check_result,
  retry_id, run_request_id,
  case when extended is null and facts_no is not null then (select f.extended from check_facts f where f.device_no = c.device_no
    and f.day_us = c.start_us - c.start_us % 86400000000 and f.facts_no = c.facts_no) else extended end as extended,
  behind_anchor
from check_rows c;

create or replace function update_check() returns trigger language plpgsql as $$
begin
  update check_rows set (device_no, start_us, agent_no, location_no, end_us, arrived_us, revision, attempt, code, perf, block_ms, dns_ms,
    connect_ms, ssl_ms, ttfb_ms, ttlb_ms, data_size, check_result, retry_id, run_request_id, extended, behind_anchor, arrived_after_us,
    data_bytes, facts_no, location_small, revision_small, block_small, dns_small, connect_small, ssl_small, ttfb_small, ttlb_small) =
    (new.device_no, new.start_us, new.agent_no, new.location_no, new.end_us, new.arrived_us, new.revision, new.attempt, new.code,
    new.perf, new.block_ms, new.dns_ms, new.connect_ms, new.ssl_ms, new.ttfb_ms, new.ttlb_ms, new.data_size, new.check_result,
    new.retry_id, new.run_request_id, new.extended, new.behind_anchor, null, null, null, null, null, null, null, null, null, null, null)
  where device_no = old.device_no and start_us = old.start_us and agent_no = old.agent_no;
  return case when found then new end;
end $$;
