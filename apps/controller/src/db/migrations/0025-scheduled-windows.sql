-- Windows of maintenance schedules are made ahead. An occurrence has one window for each device, also when a user ended it early.
alter table maintenance_windows
  add column mschedule_no int null references mschedules on delete set null,
  add column occurrence_us bigint null,                       -- when the schedule begins it
  add column end_on_first_ok boolean not null default false,
  add column reason text null,                                -- of a manual window, for people
  add column start_notified boolean not null default true;    -- false: its MaintStart is recorded when it begins
create unique index maintenance_windows_occurrence on maintenance_windows (device_no, mschedule_no, occurrence_us);
create index maintenance_windows_start_not_notified on maintenance_windows (from_us) where not start_notified;

-- The schedule whose windows a device has, and until when.
create table device_schedules (
  device_no int primary key references devices on delete cascade,
  mschedule_no int null,
  signature text not null,                                    -- the settings of the schedule that its windows follow
  until_us bigint not null
);
create index devices_mschedule on devices (mschedule_no) where mschedule_no is not null;
