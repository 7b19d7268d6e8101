-- Alerts: decisions to notify people. A row is opened in the transaction of an event; any controller decides what follows.
create table alerts (
  alert_no bigint generated always as identity primary key,
  alert_id text not null unique,
  account_no int not null,
  kind text not null,
  device_no int null,                         -- the row stays when its device is deleted
  device_id text null,
  location_no int null,                       -- of the failure, or the Location that the alert is about
  agent_no int null,                          -- the agent that saw the device fail
  severity text not null,
  opened_us bigint not null,
  since_us bigint not null,                   -- begin of the outage as users see it
  closed_us bigint null,
  ended_up boolean not null default false,    -- it closed because the device was Up
  state jsonb not null,                       -- the state of libs/alerts
  phase text not null generated always as (state ->> 'phase') stored,
  active_us bigint null generated always as ((state ->> 'activeUs')::bigint) stored,
  request_id text null generated always as (state ->> 'requestId') stored,
  due_us bigint null,                         -- when it is decided again; null: never
  reason text null,                           -- why it is as it is, for people
  opening jsonb not null,                     -- facts of the event that opened it, for messages
  ending jsonb null,                          -- facts of the event that ended it
  acknowledged_us bigint null,
  acknowledged_by text null,
  acknowledged_note text null,
  snoozed_until_us bigint null
);
create index alerts_account_open on alerts (account_no, alert_no desc) where closed_us is null;
create index alerts_account on alerts (account_no, alert_no desc);
create index alerts_device on alerts (device_no, alert_no desc) where device_no is not null;
create index alerts_due on alerts (due_us) where due_us is not null;
create index alerts_request on alerts (request_id) where request_id is not null;
-- One open alert for each outage, each offline Location and each summary.
create unique index alerts_open_device on alerts (device_no, kind)
  where closed_us is null and kind in ('device.down', 'device.partial');
create unique index alerts_open_location on alerts (location_no, kind)
  where closed_us is null and kind in ('location.offline', 'late.summary');
