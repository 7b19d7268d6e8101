-- Values that checks measured (docs/adr/0030-measured-values.md). `measured` has the number of series n at position n, and null where the check
-- did not measure it; the last one is never null. Null: no values.
alter table check_rows add column measured double precision[];

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
  behind_anchor, measured
from check_rows c;

create or replace function insert_check() returns trigger language plpgsql set search_path from current as $$
begin
  insert into check_rows (device_no, start_us, agent_no, location_no, end_us, arrived_us, revision, attempt, code, perf, block_ms,
    dns_ms, connect_ms, ssl_ms, ttfb_ms, ttlb_ms, data_size, check_result, retry_id, run_request_id, extended, behind_anchor, measured)
  select new.device_no, new.start_us, new.agent_no, new.location_no, new.end_us, new.arrived_us, new.revision, new.attempt, new.code,
    new.perf, new.block_ms, new.dns_ms, new.connect_ms, new.ssl_ms, new.ttfb_ms, new.ttlb_ms, new.data_size, new.check_result,
    new.retry_id, new.run_request_id, new.extended, new.behind_anchor, new.measured
  where not exists (select from check_rows where device_no = new.device_no and start_us = new.start_us and agent_no = new.agent_no);
  return case when found then new end;
end $$;

-- The labels of a device's values, numbered from 1 in the order of their first arrival. A number is never given to another label, because checks,
-- packed days and sums name it.
create table value_series (
  device_no int not null references devices on delete cascade,
  series_no smallint not null,
  label text not null,
  unit text not null,
  primary key (device_no, series_no)
);

-- Sums of the values of an hour or UTC day: `sums` has those of 16 series (libs/domain/src/value-sum-bytes.ts), so a chart of one label reads
-- little. Without a reference to the device, because a roll-up would fail while the device is deleted; its deletion deletes them too.
create table value_hourly (
  device_no int not null,
  block_no smallint not null,                 -- 0: series 1 to 16, and so on
  bucket_us bigint not null,
  location_no int not null,
  sums bytea not null,
  primary key (device_no, block_no, bucket_us, location_no)
);
-- They hardly compress, and are read whole.
alter table value_hourly alter column sums set storage external;
create table value_daily (like value_hourly including all);
