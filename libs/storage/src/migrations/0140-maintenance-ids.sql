-- Windows that one request or one occurrence of a schedule made are one maintenance, with one id.
alter table maintenance_windows
  add column maintenance_id text not null default substr(encode(sha256(convert_to(gen_random_uuid()::text, 'UTF8')), 'hex'), 1, 48),
  add column started_by text null;                            -- the name of the key or person; null: a schedule, or not known
update maintenance_windows
set maintenance_id = substr(encode(sha256(convert_to('mschedule ' || mschedule_no || ' ' || occurrence_us, 'UTF8')), 'hex'), 1, 48)
where source = 'schedule' and mschedule_no is not null;
create index maintenance_windows_maintenance on maintenance_windows (maintenance_id);

-- Occurrences of schedules that somebody cancelled before they began.
create table cancelled_occurrences (
  mschedule_no int not null references mschedules on delete cascade,
  occurrence_us bigint not null,                              -- when the schedule would have begun it
  primary key (mschedule_no, occurrence_us)
);
