-- Deleted Locations and removed agents keep their rows: history names them. A deleted Location's name is free for another one.
alter table locations add column deleted_at timestamptz null;
alter table locations drop constraint locations_account_no_name_key;
create unique index locations_name on locations (account_no, name) where deleted_at is null;
alter table agents add column removed_at timestamptz null;
