-- A change of many devices, from its preview on. Kept for an hour after its last part: `catalog/device-changes` deletes older ones.
create table device_changes (
  token text primary key,
  account_no int not null references accounts on delete cascade,
  key_no int not null,                 -- whoever previewed it does it
  touched_us bigint not null,          -- the preview, or the last part that was done
  request text not null,               -- what is asked for, as JSON
  device_nos int[] not null,           -- in the order in which they are changed
  place int not null default 0,        -- so many of them are done
  changed int not null default 0,
  refused jsonb not null default '[]', -- [{device_id, Reason}], of at most a hundred
  state text not null default 'Previewed' check (state in ('Previewed', 'Running', 'Done'))
);
create index device_changes_account on device_changes (account_no, touched_us);
