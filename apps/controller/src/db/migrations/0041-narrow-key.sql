-- An entry of the index of checks needs 28 bytes and stands in full pages (docs/adr/0017-check-rows.md): device and start are 16 bytes, and
-- PostgreSQL splits full pages of such narrow entries at the end of a device, not in the middle. The key of three columns needed 57 to 69.
-- Nothing is unique by this index: who inserts checks holds the locks of their devices and asks for their keys first, as all versions do.
create index check_rows_by_start on only check_rows (device_no, start_us) with (fillfactor = 100, deduplicate_items = off);

-- Partitions that exist get theirs one by one in the background, and the wide key goes then (db/narrow-key.ts).
do $$ begin
  if not exists (select from pg_inherits where inhparent = 'check_rows'::regclass) then
    alter table check_rows drop constraint checks_pkey;
  end if;
end $$;

create or replace function insert_check() returns trigger language plpgsql as $$
begin
  insert into check_rows (device_no, start_us, agent_no, location_no, end_us, arrived_us, revision, attempt, code, perf, block_ms,
    dns_ms, connect_ms, ssl_ms, ttfb_ms, ttlb_ms, data_size, check_result, retry_id, run_request_id, extended, behind_anchor)
  select new.device_no, new.start_us, new.agent_no, new.location_no, new.end_us, new.arrived_us, new.revision, new.attempt, new.code,
    new.perf, new.block_ms, new.dns_ms, new.connect_ms, new.ssl_ms, new.ttfb_ms, new.ttlb_ms, new.data_size, new.check_result,
    new.retry_id, new.run_request_id, new.extended, new.behind_anchor
  where not exists (select from check_rows where device_no = new.device_no and start_us = new.start_us and agent_no = new.agent_no);
  return case when found then new end;
end $$;
