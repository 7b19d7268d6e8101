-- Statistics are of regular checks. Retries and checks on request are counted apart; hours rolled up before hold them among the regular ones.
alter table rollup_hourly add column retries int not null default 0;
alter table rollup_hourly add column on_request int not null default 0;
alter table rollup_daily add column retries int not null default 0;
alter table rollup_daily add column on_request int not null default 0;

-- A list of a device's checks with a rare ResultCode must not read all its good ones. Good checks have no entry here.
create index checks_not_ok on checks (device_no, start_us desc, agent_no desc) where code <> 1;

-- Outages of an account: the Down intervals of its devices.
create index status_intervals_down on status_intervals (device_no, from_us desc) where status = 'Down';

-- The places of events that were deleted with their device: a client that pages an account's events goes on before such an event for a day.
create table deleted_events (
  event_id text primary key,
  account_no int not null,
  at_us bigint not null,
  event_no bigint not null,
  deleted_us bigint not null default extract(epoch from now()) * 1000000
);
create index deleted_events_deleted on deleted_events (deleted_us);
create function keep_deleted_events() returns trigger language plpgsql as $$
begin
  delete from deleted_events where deleted_us < extract(epoch from now() - interval '1 day') * 1000000;
  insert into deleted_events (event_id, account_no, at_us, event_no)
  select event_id, account_no, at_us, event_no from gone;
  return null;
end $$;
create trigger events_keep_deleted after delete on events
  referencing old table as gone for each statement execute function keep_deleted_events();
