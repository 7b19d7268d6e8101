-- The good checks of a device in a UTC day, packed (docs/adr/0018-packed-days.md). All other checks, and those of younger days, are rows of `checks`.
create table packed_checks (
  device_no int not null references devices on delete cascade,
  day_us bigint not null,                     -- begin of the day
  checks int not null,
  first_us bigint not null,                   -- start of the first and of the last check
  last_us bigint not null,
  last_result text not null,                  -- check_result of the last check
  marks bytea not null,                       -- what names the checks
  facts bytea not null,                       -- all other columns
  primary key (device_no, day_us)
);
-- The bytes are compressed already.
alter table packed_checks alter column marks set storage external, alter column facts set storage external;
create index packed_checks_day on packed_checks (day_us);

-- Days whose partition of `check_rows` still has the space of packed checks.
create table days_to_compact (
  day_us bigint primary key
);
