-- Outages that were open when this database got its first version with alerts have an alert too: their devices are Down now, so they count
-- as if they had failed just now. A state that names only its phase begins anew: the master is verified, and maintenance is respected.
insert into alerts (alert_id, account_no, kind, device_no, device_id, location_no, severity, opened_us, since_us, state, due_us, opening)
select replace(gen_random_uuid()::text, '-', '') || left(replace(gen_random_uuid()::text, '-', ''), 16), d.account_no, 'device.down',
  d.device_no, d.device_id, e.location_no, d.severity, now.us, s.since_us, '{"phase": "judging"}', now.us,
  jsonb_build_object('CheckResult', e.check_result, 'check_id', e.check_id)
from device_state s join devices d using (device_no)
  cross join (select (extract(epoch from clock_timestamp()) * 1e6)::bigint as us) now
  left join lateral (
    select location_no, check_result, check_id from events where device_no = s.device_no and type = 'Down'
    order by at_us desc, event_no desc limit 1) e on true
where s.status = 'Down' and d.enabled
  and not exists (select 1 from alerts a where a.device_no = s.device_no and a.kind = 'device.down' and a.closed_us is null);
