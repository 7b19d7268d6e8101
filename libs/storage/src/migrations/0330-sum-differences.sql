-- A digest of a packed day, by which damaged bytes are known. Null: an earlier version packed it.
alter table packed_checks add column digest bytea;

-- Days of devices whose sums differed from their checks.
create table sum_differences (
  device_no int not null references devices on delete cascade,
  day_us bigint not null,
  -- repaired: the sums were computed again from the checks. damaged, missing: of the checks, so the sums were kept.
  outcome text not null check (outcome in ('repaired', 'damaged', 'missing')),
  reason text not null,
  found_us bigint not null,
  primary key (device_no, day_us)
);
