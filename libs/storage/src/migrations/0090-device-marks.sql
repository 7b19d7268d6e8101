-- Which devices were changed by which transaction, so that `GET /states?ChangedSince` reads them alone. Rows are only added, so that nobody
-- waits for another; a mark is kept for an hour. `xid` is the transaction's: one that commits later than another may have the smaller one, so a
-- reader goes on from the oldest that was running.
create table device_marks (
  account_no int not null,
  device_no int not null,
  xid bigint not null,
  at_us bigint not null
);
create index device_marks_account on device_marks (account_no, xid) include (device_no);
create index device_marks_at on device_marks (at_us);

create function mark_device_nos(nos int[]) returns void language plpgsql as $$
declare now_us bigint := extract(epoch from clock_timestamp()) * 1000000;
begin
  insert into device_marks (account_no, device_no, xid, at_us)
    select account_no, device_no, pg_current_xact_id()::text::bigint, now_us from devices where device_no = any(nos);
  -- Each of many marks removes a few that are old.
  if random() < 0.02 then
    delete from device_marks where ctid = any(array(
      select ctid from device_marks where at_us < now_us - 3600000000 limit 5000 for update skip locked));
  end if;
end $$;

-- Settings.
create function mark_new_devices() returns trigger language plpgsql as $$
begin
  perform mark_device_nos(array(select device_no from fresh));
  return null;
end $$;
create trigger devices_mark_come after insert on devices
  referencing new table as fresh for each statement execute function mark_new_devices();
create trigger devices_mark_change after update on devices
  referencing new table as fresh for each statement execute function mark_new_devices();
create function mark_deleted_devices() returns trigger language plpgsql as $$
begin
  insert into device_marks (account_no, device_no, xid, at_us)
    select account_no, device_no, pg_current_xact_id()::text::bigint, extract(epoch from clock_timestamp()) * 1000000 from gone;
  return null;
end $$;
create trigger devices_mark_go after delete on devices
  referencing old table as gone for each statement execute function mark_deleted_devices();

-- The state, and that of the devices behind it. Most checks change none of these columns.
create function mark_state() returns trigger language plpgsql as $$
begin
  perform mark_device_nos(array(select new.device_no union all
    select device_no from devices where master_no = new.device_no));
  return null;
end $$;
create trigger device_state_mark_come after insert on device_state for each row execute function mark_state();
create trigger device_state_mark_change after update on device_state for each row
  when (old.status is distinct from new.status or old.since_us is distinct from new.since_us
    or old.base_since_us is distinct from new.base_since_us or old.retrying is distinct from new.retrying
    or old.location_nos is distinct from new.location_nos)
  execute function mark_state();

-- What belongs to a device.
create function mark_devices_of_rows() returns trigger language plpgsql as $$
begin
  perform mark_device_nos(array(select distinct device_no from changed));
  return null;
end $$;
create trigger device_tags_mark_come after insert on device_tags
  referencing new table as changed for each statement execute function mark_devices_of_rows();
create trigger device_tags_mark_go after delete on device_tags
  referencing old table as changed for each statement execute function mark_devices_of_rows();
create trigger maintenance_windows_mark_come after insert on maintenance_windows
  referencing new table as changed for each statement execute function mark_devices_of_rows();
create trigger maintenance_windows_mark_change after update on maintenance_windows
  referencing new table as changed for each statement execute function mark_devices_of_rows();
create trigger maintenance_windows_mark_go after delete on maintenance_windows
  referencing old table as changed for each statement execute function mark_devices_of_rows();

-- Names that the rows of devices show, and Locations that come and go.
create function mark_devices_of_tag() returns trigger language plpgsql as $$
begin
  perform mark_device_nos(array(select device_no from device_tags where tag_no = new.tag_no));
  return null;
end $$;
create trigger tags_mark_change after update of name on tags for each row
  when (old.name is distinct from new.name) execute function mark_devices_of_tag();
create function mark_devices_of_location() returns trigger language plpgsql as $$
begin
  perform mark_device_nos(array(select device_no from device_locations where location_no = new.location_no));
  return null;
end $$;
create trigger locations_mark_change after update on locations for each row
  when (old.name is distinct from new.name or old.online is distinct from new.online)
  execute function mark_devices_of_location();

-- Windows begin by time; for their ends there is an index.
create index maintenance_windows_from on maintenance_windows (from_us);
