-- The time that all controllers share is the database's clock plus this correction: 0 unless that clock is wrong.
-- `correction_no` counts the changes, so that one controller decides and the others notice (docs/clocks.md).
alter table clock_evidence
  add column correction_us bigint not null default 0,
  add column correction_no bigint not null default 0,
  add column applies_us bigint not null default 0,   -- all controllers make the step to it at this time of that clock
  add column latest_us bigint not null default 0;    -- the latest shared time; later than now: the clock was ahead
