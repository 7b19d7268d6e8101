-- Only packed days may lie on the workers of a Citus cluster (docs/adr/0028-only-packed-days-on-citus.md). What lists, ingest and housekeeping
-- ask about packed days is a row for each device here, on the coordinator. It has no reference to the device: a row without its device tells
-- housekeeping to delete packed days.
create table packed_devices (
  device_no int primary key,
  first_us bigint not null,                   -- start of the first check; after the retention deleted days, no later than it
  last_us bigint not null,                    -- start of the last check
  last_result text not null                   -- its check_result
);
insert into packed_devices (device_no, first_us, last_us, last_result)
select device_no, min(first_us), max(last_us), (array_agg(last_result order by day_us desc))[1] from packed_checks group by device_no;

-- Checks that waited on the coordinator while a worker was away become rows. The view leaves out what is stored already. A check without a
-- partition is older than the retention.
with moved as (
  insert into checks (device_no, start_us, agent_no, location_no, end_us, arrived_us, revision, attempt, code, perf, block_ms, dns_ms, connect_ms,
    ssl_ms, ttfb_ms, ttlb_ms, data_size, check_result, retry_id, run_request_id, extended, behind_anchor)
  select c.device_no, c.start_us, c.agent_no, c.location_no, c.end_us, c.arrived_us, c.revision, c.attempt, c.code, c.perf, c.block_ms, c.dns_ms,
    c.connect_ms, c.ssl_ms, c.ttfb_ms, c.ttlb_ms, c.data_size, c.check_result, c.retry_id, c.run_request_id, c.extended, c.behind_anchor
  from held_checks h cross join lateral jsonb_populate_record(null::checks,
    h.stored || jsonb_build_object('extended', (h.stored ->> 'extended')::jsonb)) c
  where to_regclass('checks_' || to_char(to_timestamp(h.start_us / 1000000) at time zone 'UTC', 'YYYYMMDD')) is not null
  order by h.device_no, h.start_us
  returning device_no, start_us, agent_no, location_no, code, least(dns_ms + connect_ms + ssl_ms + ttfb_ms + ttlb_ms, 86400000) as ms
), counted as (
  insert into check_counts as c (account_no, location_no, agent_no, method, code, checks, duration_ms)
  select d.account_no, m.location_no, m.agent_no, d.method, m.code, count(*), sum(greatest(m.ms, 0))
  from moved m join devices d using (device_no) group by 1, 2, 3, 4, 5
  on conflict (account_no, location_no, agent_no, method, code) do update
    set checks = c.checks + excluded.checks, duration_ms = c.duration_ms + excluded.duration_ms
)
insert into rollup_dirty (bucket_us)
select distinct start_us - start_us % 3600000000 from moved
where start_us - start_us % 3600000000 + 3660000000 < extract(epoch from clock_timestamp()) * 1000000
on conflict do nothing;
drop table held_checks;

-- Hot statements read plain tables.
drop function newest_checks, newest_packed_day, newest_verdicts, first_failures, checks_page, failed_checks;
drop function delete_packed_days, delete_roll_ups;
