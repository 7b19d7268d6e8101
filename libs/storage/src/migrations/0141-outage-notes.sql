-- What people say about an outage. A note belongs to the outage that contains its moment, also after late results moved the begin.
create table outage_notes (
  device_no int not null references devices on delete cascade,
  from_us bigint not null,                                    -- the first error of the outage when the note was written
  note text null,
  excluded boolean not null,                                  -- reports leave the outage out
  primary key (device_no, from_us),
  check (note is not null or excluded)
);
