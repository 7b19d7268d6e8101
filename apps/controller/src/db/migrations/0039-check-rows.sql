-- A check needs about half of the space (docs/adr/0017-check-rows.md). The table is `check_rows` now; `checks` is a view with all columns as
-- they were, so that statements that read need not know what a row leaves out. Rows that are stored already stay as they are.
alter table checks rename to check_rows;
alter table check_rows
  alter column end_us drop not null,            -- null: start and all phases, as the view adds them
  alter column arrived_us drop not null,        -- null: start_us + arrived_after_us
  alter column attempt drop not null,           -- null: 0, and so are the next ones
  alter column perf drop not null,
  alter column block_ms drop not null,
  alter column dns_ms drop not null,
  alter column connect_ms drop not null,
  alter column ssl_ms drop not null,
  alter column ttfb_ms drop not null,
  alter column ttlb_ms drop not null,
  alter column data_size drop not null,         -- null: data_bytes, or 0
  alter column check_result drop not null,      -- null: that of facts_no
  add column arrived_after_us int null,
  add column data_bytes int null,
  add column facts_no smallint null;            -- check_facts of this device and day; null: the row has its own

-- Texts and extended data that checks of a device repeat in a UTC day. Dropped with the checks of the day.
create table check_facts (
  device_no int not null,
  day_us bigint not null,
  facts_no smallint not null,
  digest bytea not null,                        -- of both as they came, so that a controller finds them again
  check_result text not null,
  extended jsonb null,
  primary key (device_no, day_us, facts_no)
);
create index check_facts_day on check_facts using brin (day_us);

create view checks as
select device_no, start_us, agent_no, location_no,
  coalesce(end_us, start_us + floor((coalesce(dns_ms, 0)::float8 + coalesce(connect_ms, 0) + coalesce(ssl_ms, 0)
    + coalesce(ttfb_ms, 0) + coalesce(ttlb_ms, 0)) * 1000 + 0.5::float8)::bigint) as end_us,
  coalesce(arrived_us, start_us + arrived_after_us) as arrived_us,
  revision, coalesce(attempt, 0::smallint) as attempt, code, coalesce(perf, 0::smallint) as perf,
  coalesce(block_ms, 0::real) as block_ms, coalesce(dns_ms, 0::real) as dns_ms, coalesce(connect_ms, 0::real) as connect_ms,
  coalesce(ssl_ms, 0::real) as ssl_ms, coalesce(ttfb_ms, 0::real) as ttfb_ms, coalesce(ttlb_ms, 0::real) as ttlb_ms,
  coalesce(data_size, data_bytes, 0)::float8 as data_size,
  coalesce(check_result, (select f.check_result from check_facts f where f.device_no = c.device_no
    and f.day_us = c.start_us - c.start_us % 86400000000 and f.facts_no = c.facts_no), '') as check_result,
  retry_id, run_request_id,
  case when extended is null and facts_no is not null then (select f.extended from check_facts f where f.device_no = c.device_no
    and f.day_us = c.start_us - c.start_us % 86400000000 and f.facts_no = c.facts_no) else extended end as extended,
  behind_anchor
from check_rows c;

-- A controller of the version before, which runs on while this one takes over, writes whole rows.
create function insert_check() returns trigger language plpgsql as $$
begin
  insert into check_rows (device_no, start_us, agent_no, location_no, end_us, arrived_us, revision, attempt, code, perf, block_ms,
    dns_ms, connect_ms, ssl_ms, ttfb_ms, ttlb_ms, data_size, check_result, retry_id, run_request_id, extended, behind_anchor)
  values (new.device_no, new.start_us, new.agent_no, new.location_no, new.end_us, new.arrived_us, new.revision, new.attempt, new.code,
    new.perf, new.block_ms, new.dns_ms, new.connect_ms, new.ssl_ms, new.ttfb_ms, new.ttlb_ms, new.data_size, new.check_result,
    new.retry_id, new.run_request_id, new.extended, new.behind_anchor)
  on conflict do nothing;
  return case when found then new end;
end $$;
create trigger insert_check instead of insert on checks for each row execute function insert_check();

create function update_check() returns trigger language plpgsql as $$
begin
  update check_rows set (device_no, start_us, agent_no, location_no, end_us, arrived_us, revision, attempt, code, perf, block_ms, dns_ms,
    connect_ms, ssl_ms, ttfb_ms, ttlb_ms, data_size, check_result, retry_id, run_request_id, extended, behind_anchor, arrived_after_us,
    data_bytes, facts_no) =
    (new.device_no, new.start_us, new.agent_no, new.location_no, new.end_us, new.arrived_us, new.revision, new.attempt, new.code,
    new.perf, new.block_ms, new.dns_ms, new.connect_ms, new.ssl_ms, new.ttfb_ms, new.ttlb_ms, new.data_size, new.check_result,
    new.retry_id, new.run_request_id, new.extended, new.behind_anchor, null, null, null)
  where device_no = old.device_no and start_us = old.start_us and agent_no = old.agent_no;
  return case when found then new end;
end $$;
create trigger update_check instead of update on checks for each row execute function update_check();
