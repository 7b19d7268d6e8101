-- A notification holds 8,000 bytes, so a statement with events of very many accounts sends several.
create or replace function tell_events() returns trigger language plpgsql as $$
begin
  perform pg_notify('vantage_events', json_build_object('account_nos', json_agg(account_no))::text)
  from (select account_no, (row_number() over (order by account_no) - 1) / 500 as part
    from (select distinct account_no from fresh) as accounts) as parts
  group by part;
  return null;
end $$;
