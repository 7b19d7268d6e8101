-- Keys are managed by keys of the level UA; a key may expire. Times are by the clock of the database, epoch microseconds.
alter table api_keys drop constraint api_keys_level_check;
alter table api_keys add constraint api_keys_level_check check (level in ('UR', 'UO', 'UW', 'UA'));
alter table api_keys add column expires_us bigint null;
alter table api_keys add column created_by text null;   -- the name of who issued it; null: nobody noted it then
create index api_keys_of_account on api_keys (account_no, key_no);
-- The last use of each key, noted at most once a minute.
create table key_uses (
  key_no int primary key references api_keys,
  used_us bigint not null,
  address text not null
);
