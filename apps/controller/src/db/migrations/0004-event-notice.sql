-- Each statement that inserts events sends one notification with the accounts of these events, so that event streams need not poll.
create function tell_events() returns trigger language plpgsql as $$
begin
  perform pg_notify('vantage_events', json_build_object('account_nos', json_agg(distinct account_no))::text)
  from fresh having count(*) > 0;
  return null;
end $$;
create trigger events_told after insert on events
  referencing new table as fresh for each statement execute function tell_events();
