-- The checks a minute that a Location's devices ask for are counted when a device changes, with its status: reading them costs the same
-- however many devices there are.
alter table device_state add column frequency_min int not null default 0; -- the device's; 0 while it is paused. insert-state.ts writes it, a trigger keeps it
alter table device_counts add column frequency_min int not null default 0;

create or replace function join_device_counts(account int) returns void language sql as $$
  with gone as (
    delete from device_counts where count_no in (
      select count_no from device_counts where account_no = account for update skip locked)
    returning location_nos, status, frequency_min, devices)
  insert into device_counts (account_no, location_nos, status, frequency_min, devices)
  select account, location_nos, status, frequency_min, sum(devices) from gone group by 2, 3, 4 having sum(devices) <> 0
$$;
create or replace function count_devices() returns trigger language plpgsql as $$
declare added int;
begin
  if tg_op = 'INSERT' then
    insert into device_counts (account_no, location_nos, status, frequency_min, devices)
    select account_no, location_nos, status, frequency_min, count(*) from come where account_no <> 0 group by 1, 2, 3, 4;
  elsif tg_op = 'DELETE' then
    insert into device_counts (account_no, location_nos, status, frequency_min, devices)
    select account_no, location_nos, status, frequency_min, -count(*) from gone where account_no <> 0 group by 1, 2, 3, 4;
  else
    insert into device_counts (account_no, location_nos, status, frequency_min, devices)
    select account_no, location_nos, status, frequency_min, sum(devices) from (
      select account_no, location_nos, status, frequency_min, 1 as devices from come
      union all select account_no, location_nos, status, frequency_min, -1 from gone) changed
    where account_no <> 0 group by 1, 2, 3, 4 having sum(devices) <> 0;
  end if;
  get diagnostics added = row_count;
  if added > 0 and lastval() % 64 < added then
    perform join_device_counts(account_no) from device_counts where count_no = lastval();
  end if;
  return null;
end $$;

-- A row that was written without its facts gets them.
create or replace function fill_device_state() returns trigger language plpgsql as $$
begin
  if not exists (select 1 from come where account_no = 0 or frequency_min = 0) then return null; end if;
  update device_state s set account_no = d.account_no,
    location_nos = array(select l.location_no from device_locations l where l.device_no = d.device_no order by 1),
    frequency_min = case when d.enabled then d.frequency_min else 0 end
  from come c join devices d using (device_no)
  where s.device_no = c.device_no and (c.account_no = 0 or c.frequency_min = 0 and d.enabled);
  return null;
end $$;

create function keep_device_frequency() returns trigger language plpgsql as $$
begin
  update device_state set frequency_min = case when new.enabled then new.frequency_min else 0 end where device_no = new.device_no;
  return null;
end $$;
create trigger devices_keep_frequency after update of frequency_min, enabled on devices for each row
  when (old.frequency_min <> new.frequency_min or old.enabled <> new.enabled) execute function keep_device_frequency();

update device_state s set frequency_min = d.frequency_min from devices d where d.device_no = s.device_no and d.enabled;
delete from device_counts;
insert into device_counts (account_no, location_nos, status, frequency_min, devices)
select account_no, location_nos, status, frequency_min, count(*) from device_state where account_no <> 0 group by 1, 2, 3, 4;
