-- What happened at a moment, as people and their tools tell it: it is drawn on the time axis of devices.
create table marks (
  mark_no bigint generated always as identity primary key,
  mark_id text not null unique,
  account_no int not null references accounts on delete cascade,
  kind text not null check (kind in ('Deployment', 'Change', 'Note')),
  at_us bigint not null,
  text text not null,
  link text null,
  author text not null,                       -- the key's name, or its id
  tag_nos int[] not null,                     -- it is about the devices that have one of these tags now,
  device_nos int[] not null,                  -- and about these devices
  check (cardinality(tag_nos) + cardinality(device_nos) > 0)
);
create index marks_account on marks (account_no, at_us);

-- The changes of one thing.
create index audit_thing on audit (account_no, id, audit_no desc);
