-- A value that the key of the key file sealed. A controller that starts with another key finds the difference.
create table seal_check (
  single boolean primary key default true check (single),
  sealed bytea not null
);
