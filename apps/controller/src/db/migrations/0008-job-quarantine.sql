-- Items (a device's hour, a device, a Location) for which a background job failed, with the reason. The job goes on with the others.
-- Kept for 30 days after the last failure, 100,000 rows at most.
create table job_quarantine (
  job text not null,
  item text not null,
  reason text not null,
  first_failed_us bigint not null,
  last_failed_us bigint not null,
  primary key (job, item)
);
create index job_quarantine_last on job_quarantine (last_failed_us);
