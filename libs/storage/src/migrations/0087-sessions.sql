-- Sign-ins of people: a session stands for the key with which it was begun, and ends with it. Its times are by the clock of the
-- database, epoch microseconds.
alter table api_keys drop constraint api_keys_level_check;
alter table api_keys add constraint api_keys_level_check check (level in ('UR', 'UO', 'UW'));
create table sessions (
  session_no bigint generated always as identity primary key,
  session_id text not null unique,
  token_hash bytea not null unique,           -- SHA-256 of 256 random bits
  key_no int not null references api_keys,
  began_us bigint not null,
  used_us bigint not null,
  ends_us bigint not null
);
create index sessions_of_key on sessions (key_no, session_no);
