-- A value sealed by the key of the key file: a controller with another key notices at its start.
create table seal_check (
  single boolean primary key default true check (single),
  sealed bytea not null
);
