-- Devices of the Method Push (docs/heartbeats.md, docs/adr/0031-heartbeats.md): jobs call the controllers, and no agent checks them.
create table push_devices (
  device_no int primary key references devices on delete cascade,
  token_hash bytea not null unique,           -- SHA-256
  settings_revision int not null default 0,   -- of the device, under which `state` was computed
  state jsonb null,                           -- the state of libs/health; null: nothing was computed yet
  at_us bigint null,                          -- the moment of `state`
  judge_us bigint null                        -- when a call may be missing; null: nothing is due
);
create index push_devices_due on push_devices (judge_us) where judge_us is not null;

-- What calls said while their run goes on: it is moved into the check of the run's end.
create table push_logs (
  log_no bigint generated always as identity primary key,
  device_no int not null references devices on delete cascade,
  run_id text not null,
  at_us bigint not null,
  kind text not null check (kind in ('start', 'log')),
  body text not null
);
create index push_logs_run on push_logs (device_no, run_id);

-- Spans in which a controller received calls. Before `to_us` it has stored every call. Where no controller has a span, a missing call is not the
-- job's fault.
create table push_receivers (
  receiver_no bigint generated always as identity primary key,
  controller_id text not null,
  from_us bigint not null,
  to_us bigint not null,
  ended boolean not null default false
);
create index push_receivers_to on push_receivers (to_us);

-- Location 0 stands for the controllers: its devices are never without a Location.
create or replace function fill_device_state() returns trigger language plpgsql set search_path from current as $$
begin
  if not exists (select 1 from come where account_no = 0 or frequency_min = 0) then return null; end if;
  update device_state s set account_no = d.account_no,
    location_nos = case when d.method = 'Push' then '{0}' else array(select l.location_no from device_locations l where l.device_no = d.device_no order by 1) end,
    frequency_min = case when d.enabled then interval_min(d.frequency_s, d.frequency_min) else 0 end
  from come c join devices d using (device_no)
  where s.device_no = c.device_no and (c.account_no = 0 or c.frequency_min = 0 and d.enabled);
  return null;
end $$;
