-- A key or person may be limited to the devices that have one of these tags, and what belongs to them; null: no limit. `db/scope.ts` makes the
-- views that such a caller reads and writes.
alter table api_keys add column tag_nos int[];

-- Which device had which tag until when, so that a limited caller hears that a device is gone. Kept for a day, as deleted_devices is.
create table left_tags (
  tag_no int not null,
  device_no int not null,
  left_us bigint not null
);
create index left_tags_device on left_tags (device_no, tag_no);
create index left_tags_left on left_tags (left_us);
create function keep_left_tags() returns trigger language plpgsql as $$
begin
  delete from left_tags where left_us < extract(epoch from now() - interval '1 day') * 1000000;
  insert into left_tags (tag_no, device_no, left_us)
    select tag_no, device_no, extract(epoch from clock_timestamp()) * 1000000 from gone;
  return null;
end $$;
create trigger device_tags_left after delete on device_tags
  referencing old table as gone for each statement execute function keep_left_tags();

-- What a limited caller writes stays among the devices that they see. Judged at the end of the request, when a new device has its tags.
create function keep_in_scope() returns trigger language plpgsql as $$
declare written int := case tg_op when 'DELETE' then old.device_no else new.device_no end;
begin
  if exists (select from devices where device_no = written) and not exists (
    select from device_tags where device_no = written
      and tag_no = any (current_setting('vantage.scope')::int[])) then
    raise exception 'device % leaves the scope', written using errcode = 'VS001';
  end if;
  return null;
end $$;
create constraint trigger devices_in_scope after insert on devices deferrable initially deferred for each row
  when (current_setting('vantage.scope', true) <> '') execute function keep_in_scope();
create constraint trigger device_tags_in_scope after delete on device_tags deferrable initially deferred for each row
  when (current_setting('vantage.scope', true) <> '') execute function keep_in_scope();

-- What belongs to the whole account has no view, or one for reading. A limited caller changes none of it, by whatever route.
create function keep_account_whole() returns trigger language plpgsql as $$
begin
  raise exception '% belongs to the whole account', tg_table_name using errcode = 'VS002';
end $$;
do $$
declare t text;
begin
  foreach t in array array['accounts', 'agents', 'cancelled_occurrences', 'contacts', 'locations', 'mschedules', 'nschedules', 'secrets', 'tags'] loop
    execute format('create trigger keep_whole before insert or update or delete on %I for each statement
      when (current_setting(''vantage.scope'', true) <> '''') execute function keep_account_whole()', t);
  end loop;
end $$;

-- The devices of an account whatever the caller sees, for the limit of an account.
create function count_account_devices(account int) returns bigint language sql stable as $$
  select coalesce(sum(devices), 0)::bigint from device_counts where account_no = account
$$;

-- A device and its masters, whatever the caller sees.
create function masters_of(device int) returns table (device_no int) language sql stable as $$
  with recursive up as (
    select d.device_no, d.master_no from devices d where d.device_no = device
    union select d.device_no, d.master_no from devices d join up on d.device_no = up.master_no
  ) select up.device_no from up
$$;

-- Triggers and these functions see the tables, not the views of a limited caller.
do $$
declare f regprocedure;
begin
  for f in select oid::regprocedure from pg_proc
    where pronamespace = current_schema()::regnamespace
      and (prorettype = 'trigger'::regtype or proname in ('count_account_devices', 'masters_of')) loop
    execute format('alter function %s set search_path from current', f);
  end loop;
end $$;
