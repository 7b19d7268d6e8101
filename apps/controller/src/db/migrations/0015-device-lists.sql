-- The client's own identity of a thing: unique per account and kind.
alter table devices add column external_key text null;
alter table tags add column external_key text null;
alter table locations add column external_key text null;
create unique index devices_external_key on devices (account_no, external_key) where external_key is not null;
create unique index tags_external_key on tags (account_no, external_key) where external_key is not null;
create unique index locations_external_key on locations (account_no, external_key) where external_key is not null;

-- false: paused. A paused device is not checked and its status is Unknown.
alter table devices add column enabled boolean not null default true;

-- Lists of devices in another order than that of their creation, or of one Method, and of those that are paused.
create index devices_short_name on devices (account_no, short_name, device_no);
create index devices_method on devices (account_no, method, device_no);
create index devices_paused on devices (account_no, device_no) where not enabled;
create index device_state_status on device_state (status, device_no);
create index device_state_since on device_state (since_us, device_no);

-- Search looks for a text anywhere in the names and the URL. Without the extension (not every PostgreSQL has it) a search reads all devices of the account.
do $$
begin
  create extension if not exists pg_trgm;
  create index devices_search on devices
    using gin (lower(short_name || chr(10) || coalesce(full_name, '') || chr(10) || url) gin_trgm_ops);
exception when insufficient_privilege or undefined_file or feature_not_supported then
  raise notice 'pg_trgm is not available: %', sqlerrm;
end $$;

-- The places of deleted devices in the order of creation: a client that pages goes on after such a device for a day.
create table deleted_devices (
  device_id text primary key,
  account_no int not null,
  device_no int not null,
  deleted_us bigint not null default extract(epoch from now()) * 1000000
);
create index deleted_devices_deleted on deleted_devices (deleted_us);
create function keep_deleted_devices() returns trigger language plpgsql as $$
begin
  delete from deleted_devices where deleted_us < extract(epoch from now() - interval '1 day') * 1000000;
  insert into deleted_devices (device_id, account_no, device_no) select device_id, account_no, device_no from gone;
  return null;
end $$;
create trigger devices_keep_deleted after delete on devices
  referencing old table as gone for each statement execute function keep_deleted_devices();
