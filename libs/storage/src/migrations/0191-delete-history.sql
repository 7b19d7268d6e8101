-- Who deletes devices deletes these parts of their history. A caller limited to tags sees the tables as views (docs/adr/0020-scopes.md), and Citus
-- deletes nothing through a view: the functions name the tables. Their callers give devices that they may delete.
create function delete_packed_days(device_nos int[]) returns void language plpgsql set search_path from current as $$
begin
  delete from packed_checks where device_no = any (device_nos);
end $$;

create function delete_roll_ups(device_nos int[]) returns void language plpgsql set search_path from current as $$
begin
  delete from rollup_hourly where device_no = any (device_nos);
  delete from rollup_daily where device_no = any (device_nos);
end $$;
