-- A device may be checked more often than once a minute. frequency_min stays 1 then; what the counts of a Location divide by is the
-- interval in minutes, which may be a part of one.
alter table devices add column frequency_s int; -- null: frequency_min counts
drop trigger devices_keep_frequency on devices;
alter table device_state alter column frequency_min type float8;
alter table device_counts alter column frequency_min type float8;

create function interval_min(frequency_s int, frequency_min int) returns float8 language sql immutable as $$
  select coalesce(frequency_s / 60.0::float8, frequency_min)
$$;

create or replace function fill_device_state() returns trigger language plpgsql as $$
begin
  if not exists (select 1 from come where account_no = 0 or frequency_min = 0) then return null; end if;
  update device_state s set account_no = d.account_no,
    location_nos = array(select l.location_no from device_locations l where l.device_no = d.device_no order by 1),
    frequency_min = case when d.enabled then interval_min(d.frequency_s, d.frequency_min) else 0 end
  from come c join devices d using (device_no)
  where s.device_no = c.device_no and (c.account_no = 0 or c.frequency_min = 0 and d.enabled);
  return null;
end $$;

create or replace function keep_device_frequency() returns trigger language plpgsql as $$
begin
  update device_state set frequency_min = case when new.enabled then interval_min(new.frequency_s, new.frequency_min) else 0 end
  where device_no = new.device_no;
  return null;
end $$;
create trigger devices_keep_frequency after update of frequency_min, frequency_s, enabled on devices for each row
  when (old.frequency_min <> new.frequency_min or old.frequency_s is distinct from new.frequency_s or old.enabled <> new.enabled)
  execute function keep_device_frequency();
