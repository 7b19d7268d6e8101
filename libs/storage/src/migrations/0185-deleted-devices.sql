-- A bigint that is compared with a numeric uses no index: each deletion of a device read three whole tables.
create or replace function keep_deleted_events() returns trigger language plpgsql set search_path from current as $$
begin
  delete from deleted_events where deleted_us < (extract(epoch from now() - interval '1 day') * 1000000)::bigint;
  insert into deleted_events (event_id, account_no, at_us, event_no)
  select event_id, account_no, at_us, event_no from gone;
  return null;
end $$;
create or replace function keep_deleted_devices() returns trigger language plpgsql set search_path from current as $$
begin
  delete from deleted_devices where deleted_us < (extract(epoch from now() - interval '1 day') * 1000000)::bigint;
  insert into deleted_devices (device_id, account_no, device_no) select device_id, account_no, device_no from gone;
  return null;
end $$;
create or replace function keep_left_tags() returns trigger language plpgsql set search_path from current as $$
begin
  delete from left_tags where left_us < (extract(epoch from now() - interval '1 day') * 1000000)::bigint;
  insert into left_tags (tag_no, device_no, left_us)
    select tag_no, device_no, extract(epoch from clock_timestamp()) * 1000000 from gone;
  return null;
end $$;
