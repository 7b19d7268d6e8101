-- The facts by which lists of devices are filtered and sorted stand beside the status, in two indexes, so that a page reads its own rows only.
drop index device_state_status;
drop index device_state_since;
alter table device_state add column account_no int not null default 0;             -- the device's; insert-state.ts writes it
alter table device_state add column location_nos int[] not null default '{}';      -- of device_locations, ascending; triggers keep them
alter table device_state add column maintained_until_us bigint not null default 0; -- the latest recorded end of a maintenance window; triggers keep it
update device_state s set
  account_no = (select d.account_no from devices d where d.device_no = s.device_no),
  location_nos = array(select l.location_no from device_locations l where l.device_no = s.device_no order by 1),
  maintained_until_us = coalesce((select max(w.to_us) from maintenance_windows w where w.device_no = s.device_no and w.end_notified), 0);
-- Since when the device has its status, if one of its Locations has been online all the time.
alter table device_state add column base_since_us bigint not null
  generated always as (case when status = 'Unknown' then since_us else greatest(since_us, maintained_until_us) end) stored;
create index device_state_list on device_state (account_no, location_nos, status, device_no) include (since_us, base_since_us);
create index device_state_since on device_state (account_no, location_nos, status, base_since_us, device_no);

-- The windows that go on or begin later: with those whose end is not recorded their devices are the exceptions of a list.
create index maintenance_windows_to on maintenance_windows (to_us);

-- How many devices of an account have these Locations and this status: the sum of `devices`. A change adds a row and locks none; every 64th joins
-- the rows of its account.
create table device_counts (
  count_no bigint generated always as identity primary key,
  account_no int not null,
  location_nos int[] not null,
  status text not null,
  devices int not null
);
create index device_counts_account on device_counts (account_no);
insert into device_counts (account_no, location_nos, status, devices)
select account_no, location_nos, status, count(*) from device_state group by 1, 2, 3;

create function join_device_counts(account int) returns void language sql as $$
  with gone as (
    delete from device_counts where count_no in (
      select count_no from device_counts where account_no = account for update skip locked)
    returning location_nos, status, devices)
  insert into device_counts (account_no, location_nos, status, devices)
  select account, location_nos, status, sum(devices) from gone group by 2, 3 having sum(devices) <> 0
$$;
create function count_devices() returns trigger language plpgsql as $$
declare added int;
begin
  if tg_op = 'INSERT' then
    insert into device_counts (account_no, location_nos, status, devices)
    select account_no, location_nos, status, count(*) from come where account_no <> 0 group by 1, 2, 3;
  elsif tg_op = 'DELETE' then
    insert into device_counts (account_no, location_nos, status, devices)
    select account_no, location_nos, status, -count(*) from gone where account_no <> 0 group by 1, 2, 3;
  else
    insert into device_counts (account_no, location_nos, status, devices)
    select account_no, location_nos, status, sum(devices) from (
      select account_no, location_nos, status, 1 as devices from come
      union all select account_no, location_nos, status, -1 from gone) changed
    where account_no <> 0 group by 1, 2, 3 having sum(devices) <> 0;
  end if;
  get diagnostics added = row_count;
  if added > 0 and lastval() % 64 < added then
    perform join_device_counts(account_no) from device_counts where count_no = lastval();
  end if;
  return null;
end $$;
create trigger device_state_counts_come after insert on device_state
  referencing new table as come for each statement execute function count_devices();
create trigger device_state_counts_change after update on device_state
  referencing new table as come old table as gone for each statement execute function count_devices();
create trigger device_state_counts_go after delete on device_state
  referencing old table as gone for each statement execute function count_devices();

-- A row that was written without its facts gets them.
create function fill_device_state() returns trigger language plpgsql as $$
begin
  update device_state s set account_no = d.account_no,
    location_nos = array(select l.location_no from device_locations l where l.device_no = d.device_no order by 1)
  from come c join devices d using (device_no) where c.account_no = 0 and s.device_no = c.device_no;
  return null;
end $$;
create trigger device_state_fill after insert on device_state
  referencing new table as come for each statement execute function fill_device_state();

create function keep_device_location_nos() returns trigger language plpgsql as $$
begin
  -- Locked in the order of the numbers, so that two changes of many devices do not wait for each other.
  perform 1 from device_state where device_no in (select device_no from changed) order by device_no for no key update;
  update device_state s set location_nos = now.nos
  from (select c.device_no, array(select l.location_no from device_locations l where l.device_no = c.device_no order by 1) as nos
    from (select distinct device_no from changed) c) now
  where s.device_no = now.device_no and s.location_nos <> now.nos;
  return null;
end $$;
create trigger device_locations_come after insert on device_locations
  referencing new table as changed for each statement execute function keep_device_location_nos();
create trigger device_locations_go after delete on device_locations
  referencing old table as changed for each statement execute function keep_device_location_nos();

create function keep_maintained_until() returns trigger language plpgsql as $$
begin
  if not exists (select 1 from changed where end_notified) then return null; end if;
  perform 1 from device_state where device_no in (select device_no from changed where end_notified)
    order by device_no for no key update;
  update device_state s set maintained_until_us = now.until_us
  from (select c.device_no, coalesce((select max(w.to_us) from maintenance_windows w
      where w.device_no = c.device_no and w.end_notified), 0) as until_us
    from (select distinct device_no from changed where end_notified) c) now
  where s.device_no = now.device_no and s.maintained_until_us <> now.until_us;
  return null;
end $$;
create trigger maintenance_windows_come after insert on maintenance_windows
  referencing new table as changed for each statement execute function keep_maintained_until();
create trigger maintenance_windows_end after update on maintenance_windows
  referencing new table as changed for each statement execute function keep_maintained_until();
create trigger maintenance_windows_reopen after update on maintenance_windows
  referencing old table as changed for each statement execute function keep_maintained_until();
create trigger maintenance_windows_go after delete on maintenance_windows
  referencing old table as changed for each statement execute function keep_maintained_until();
