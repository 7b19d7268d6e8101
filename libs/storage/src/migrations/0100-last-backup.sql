-- When the newest backup of "vantage backup" took its snapshot: controllers show its age. Times are epoch microseconds.
create table last_backup (
  single boolean primary key default true check (single),
  at_us bigint not null
);
