-- The event of a deleted device outlives it. It keeps the facts by which it is shown and found: callers who are limited to tags, and hooks and
-- streams with a filter, get it as they got the device's other events.
alter table events
  add column gone_no int,
  add column gone_id text,
  add column gone_short_name text,
  add column gone_full_name text,
  add column gone_tag_nos int[];
create index events_gone on events (gone_no) where gone_no is not null;

-- Alerts outlive their device, too, and keep its names.
alter table alerts
  add column gone_short_name text,
  add column gone_full_name text;
create function keep_names_of_alerts() returns trigger language plpgsql set search_path from current as $$
begin
  update alerts a set gone_short_name = g.short_name, gone_full_name = g.full_name
  from gone g where a.device_no = g.device_no;
  return null;
end $$;
create trigger devices_keep_names_of_alerts after delete on devices
  referencing old table as gone for each statement execute function keep_names_of_alerts();
